/** Exits with the code that it is given, or with 42 at Ctrl-C, if that is asked for. */
import process from "node:process";

if (process.argv[2] === "at-interrupt") {
  const timer = setInterval(() => {}, 1000);
  process.on("SIGINT", () => {
    clearInterval(timer);
    process.exitCode = 42;
  });
  process.kill(process.ppid, "SIGUSR2");
} else process.exitCode = Number(process.argv[2]);
