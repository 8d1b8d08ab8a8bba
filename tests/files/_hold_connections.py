"""Holds so many connections to a port of this machine, which say nothing, until its own input ends."""
import socket
import sys

port, count = int(sys.argv[1]), int(sys.argv[2])
held = []
for _ in range(count):
    client = socket.socket()
    client.setblocking(False)
    client.connect_ex(("127.0.0.1", port))
    held.append(client)
print("held", flush=True)
sys.stdin.read()
