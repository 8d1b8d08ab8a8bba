# Sourced by run and job, from the repository's root: installs what may be installed, starts the servers that tests
# need, and says what tests may demand. Root on Debian can have all of it, so there all is demanded; anybody else
# demands what the machine has, and is told what it has not.
export CI=true NO_COLOR=1 DENO_NO_UPDATE_CHECK=1
export npm_config_loglevel=error npm_config_update_notifier=false

work=$(mktemp -d)
server_pids=()
stop_servers() {
  for pid in "${server_pids[@]}"; do kill "$pid" && wait "$pid"; done
  rm -rf "$work"
} 2>/dev/null
trap stop_servers EXIT

is_root=false
[ "$(id -u)" = 0 ] && command -v apt-get >/dev/null && is_root=true

has_chromium() { command -v chromium-headless-shell || command -v chromium || command -v chromium-browser || command -v google-chrome; }
has_redis() { command -v valkey-server || command -v redis-server; }
has_spin() { command -v spin && command -v gcc; }
has_postgres() { ls /usr/lib/postgresql/*/bin/initdb || command -v initdb; }

# Debian's packages, in the background: builds and downloads go on meanwhile.
install_packages() {
  export DEBIAN_FRONTEND=noninteractive
  local wanted=()
  has_chromium >/dev/null 2>&1 || wanted+=(chromium-headless-shell)
  command -v WebKitWebDriver >/dev/null || wanted+=(xvfb webkit2gtk-driver gir1.2-webkit2-4.1 python3-gi)
  has_postgres >/dev/null 2>&1 || wanted+=(postgresql)
  has_redis >/dev/null 2>&1 || wanted+=(redis-server)
  has_spin >/dev/null 2>&1 || wanted+=(spin gcc libc6-dev)
  [ "${#wanted[@]}" -gt 0 ] || return 0
  local install=(apt-get install -qq -y --no-install-recommends "${wanted[@]}")
  "${install[@]}" >/dev/null 2>&1 || { apt-get update -qq && "${install[@]}" >/dev/null; }
}

# Servers in Go are built once for each version of their folder, and kept in the user's cache.
build_server() {
  local name=$1 cache=${XDG_CACHE_HOME:-$HOME/.cache}/hosepipe version
  version=$(cat "scripts/$name/go.mod" "scripts/$name/go.sum" "scripts/$name/main.go" | git hash-object --stdin)
  local path=$cache/$name-$version
  if [ ! -x "$path" ]; then
    mkdir -p "$cache"
    # Beside its place and then moved: what is built halfway is never run.
    (cd "scripts/$name" && go build -o "$path.$$" .) >"$work/$name-build" 2>&1 && mv "$path.$$" "$path"
  fi
  [ -x "$path" ] && echo "$path" >"$work/$name-path"
}

# Kafka's jars, by Maven, once for each version: likewise.
fetch_kafka() {
  local cache=${XDG_CACHE_HOME:-$HOME/.cache}/hosepipe
  local path=$cache/kafka-$(git hash-object scripts/kafka/pom.xml)
  if [ ! -d "$path" ]; then
    mkdir -p "$cache"
    mvn -q -B -f scripts/kafka/pom.xml dependency:copy-dependencies -DincludeScope=runtime \
      "-DoutputDirectory=$path.$$" >"$work/kafka-build" 2>&1 && mv "$path.$$" "$path"
  fi
  [ -d "$path" ] && echo "$path" >"$work/kafka-path"
}

# start_server NAME COMMAND…: waits for the address, which it prints first.
start_server() {
  local name=$1
  shift
  "$@" >"$work/$name" 2>"$work/$name-errors" &
  local pid=$!
  server_pids+=("$pid")
  for _ in $(seq 600); do
    [ -s "$work/$name" ] && return
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.1
  done
  tail -n 5 "$work/$name-errors"
  return 1
}

# demand NAME WHAT: tests fail without it. Where it is not to be had that is said, and they are skipped.
demand() { export "HOSEPIPE_REQUIRE_$1=1"; }
miss() {
  tail -n 5 "$work/$1-build" 2>/dev/null
  if "$is_root"; then demand "$2"; else echo "not here: $1; its tests are skipped"; fi
}

"$is_root" && install_packages &
install_pid=$!
for name in ferretdb nats; do command -v go >/dev/null && build_server "$name" & done
command -v java >/dev/null && command -v mvn >/dev/null && fetch_kafka &
# Fetched quietly first: a task would name each of some hundred packages.
npx -y deno@2.9 install --quiet --frozen
# By its own executable: npx would not pass the signal on that ends it.
deno=$(npx -y deno@2.9 eval --quiet "console.log(Deno.execPath())")
wait "$install_pid"
wait

# FerretDB speaks MongoDB's protocol on SQLite.
if [ -s "$work/ferretdb-path" ] && start_server ferretdb "$(cat "$work/ferretdb-path")"; then
  export MONGODB_URI=$(head -n 1 "$work/ferretdb")
  demand MONGODB
else miss ferretdb MONGODB; fi

# The tests start NATS servers of their own, to kill them; one more is for the examples of the documentation.
if [ -s "$work/nats-path" ] && start_server nats "$(cat "$work/nats-path")" --data "$work/nats-data"; then
  export HOSEPIPE_NATS_SERVER=$(cat "$work/nats-path") NATS_URL=$(head -n 1 "$work/nats")
  demand NATS
else miss nats NATS; fi

if has_postgres >/dev/null 2>&1 && start_server postgres "$deno" run --quiet -A scripts/postgres/run.ts; then
  export POSTGRES_URI=$(head -n 1 "$work/postgres")
  demand POSTGRES
else miss postgres POSTGRES; fi

if has_redis >/dev/null 2>&1 && start_server redis "$deno" run --quiet -A scripts/redis/run.ts; then
  export REDIS_URI=$(head -n 1 "$work/redis")
  demand REDIS
else miss redis REDIS; fi

if [ -s "$work/kafka-path" ]; then export HOSEPIPE_KAFKA_LIBRARY=$(cat "$work/kafka-path"); fi
if [ -n "${HOSEPIPE_KAFKA_LIBRARY:-}" ] && start_server kafka "$deno" run --quiet -A scripts/kafka/run.ts; then
  export KAFKA_BROKERS=$(head -n 1 "$work/kafka")
  demand KAFKA
else miss kafka KAFKA; fi

if has_chromium >/dev/null 2>&1; then demand CHROMIUM; else miss chromium CHROMIUM; fi
if command -v WebKitWebDriver >/dev/null; then demand WEBKIT; else miss webkit WEBKIT; fi

# Checks the model of the queue's leases.
if has_spin >/dev/null 2>&1; then demand SPIN; else miss spin SPIN; fi

# The standard's own tests of streams: where a checkout is named or lies at hand, they must run.
if [ -z "${WPT_DIR:-}" ] && [ -d ../shared/wpt ]; then export WPT_DIR="$PWD/../shared/wpt"; fi
if [ -n "${WPT_DIR:-}" ]; then demand WPT; fi

# The standard's reference implementation, which every schedule is compared with: likewise.
reference=../shared/reference-streams/reference.mjs
if [ -z "${REFERENCE_STREAMS:-}" ] && [ -f "$reference" ]; then export REFERENCE_STREAMS="$PWD/$reference"; fi
if [ -n "${REFERENCE_STREAMS:-}" ]; then demand REFERENCE; fi
