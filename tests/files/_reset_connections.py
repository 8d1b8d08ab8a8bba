"""Connects to a port of this machine so many times, and resets each connection at once."""
import socket
import struct
import sys

port, count = int(sys.argv[1]), int(sys.argv[2])
for _ in range(count):
    client = socket.create_connection(("127.0.0.1", port))
    # To linger for no time is to reset.
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.close()
