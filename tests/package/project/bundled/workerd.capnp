using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .bundled)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const bundled :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "out/worker.js")],
  compatibilityDate = "2026-10-01",
);
