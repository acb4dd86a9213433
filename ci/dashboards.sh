#!/usr/bin/env bash
# Asks every query of the dashboards in packaging/grafana against what the program writes: a run of the
# model is exported for node_exporter's textfile collector, which Prometheus scrapes. A query that is
# refused, or that finds nothing, is a failure, as are alerts of docs/monitoring.md that promtool refuses.
# Needs Debian's mirror; installs nothing, and needs no root.
#
#   ci/dashboards.sh [STRIPEWISE]
set -euo pipefail
cd "$(dirname "$0")/.."

stripewise=$(realpath "${1:-target/release/stripewise}")
folder=$(mktemp -d)
pids=()
trap 'for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done; wait; rm -rf "$folder"' EXIT

fail() {
    echo "dashboards.sh: $*" >&2
    exit 1
}

free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

mkdir -p "$folder/debs" "$folder/root" "$folder/metrics"
(cd "$folder/debs" && apt-get download --quiet --quiet prometheus prometheus-node-exporter)
for package in "$folder"/debs/*.deb; do
    dpkg-deb --extract "$package" "$folder/root"
done

# A run of the model, and recorded ones with warnings and with power cuts, under numbers of their own.
"$stripewise" run --quiet --world model --store "$folder/store.db" studies/flush.toml >/dev/null
"$stripewise" export latest --store "$folder/store.db" --output "$folder/metrics/stripewise-flush.prom"
for golden in run cuts; do
    sed "s/{run=\"7\"/{run=\"golden-$golden\"/" "crates/export/tests/golden/$golden.prom" \
        >"$folder/metrics/stripewise-$golden.prom"
done

sed -n '/^```yaml$/,/^```$/p' docs/monitoring.md | sed '/^```/d' >"$folder/rules.yml"
"$folder/root/usr/bin/promtool" check rules "$folder/rules.yml" >"$folder/rules.log" ||
    fail "the alerts of docs/monitoring.md: $(cat "$folder/rules.log")"
grep -q "3 rules found" "$folder/rules.log" || fail "$(cat "$folder/rules.log")"

exporter=$(free_port)
"$folder/root/usr/bin/prometheus-node-exporter" --web.listen-address="127.0.0.1:$exporter" \
    --collector.disable-defaults --collector.textfile \
    --collector.textfile.directory="$folder/metrics" >"$folder/exporter.log" 2>&1 &
pids+=($!)
cat >"$folder/prometheus.yml" <<END
global: { scrape_interval: 1s }
scrape_configs:
  - job_name: node
    static_configs: [ { targets: [ "127.0.0.1:$exporter" ] } ]
END
server=$(free_port)
"$folder/root/usr/bin/prometheus" --config.file="$folder/prometheus.yml" \
    --storage.tsdb.path="$folder/data" --web.listen-address="127.0.0.1:$server" >"$folder/prometheus.log" 2>&1 &
pids+=($!)

python3 - "$server" packaging/grafana/*.json <<'END'
import json, sys, time, urllib.parse, urllib.request

port, dashboards = sys.argv[1], sys.argv[2:]

def ask(query):
    url = f"http://127.0.0.1:{port}/api/v1/query?" + urllib.parse.urlencode({"query": query})
    try:
        with urllib.request.urlopen(url, timeout=10) as answer:
            return json.load(answer)["data"]["result"]
    except urllib.error.HTTPError as error:
        sys.exit(f"refused: {query}: {error.read().decode()}")

for _ in range(60):
    try:
        if ask("stripewise_cell_samples") and ask("stripewise_power_cuts"):
            break
    except OSError:
        pass
    time.sleep(0.5)
else:
    sys.exit("no metrics were scraped within 30 s")

if ask("node_textfile_scrape_error != 0"):
    sys.exit("node_exporter cannot read a file")
count = 0
for path in dashboards:
    dashboard = json.load(open(path))
    names = {item["name"] for item in dashboard["templating"]["list"] if item["type"] == "query"}
    for panel in dashboard["panels"]:
        for target in panel["targets"]:
            if "expr" not in target:
                continue
            query = target["expr"]
            for name in names:
                query = query.replace(f"${name}", ".*")
            if "$" in query:
                sys.exit(f"{path}: {panel['title']}: a variable that is not defined: {query}")
            if not ask(query):
                sys.exit(f"{path}: {panel['title']}: nothing found: {query}")
            count += 1
print(f"{count} queries of {len(dashboards)} dashboards found what the program wrote")
END
