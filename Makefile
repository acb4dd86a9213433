# These do all the set-up on a fresh Debian machine with Rust:
#
#   make demo    measures this disk, and asks what arrays of it would give; about ten
#                minutes on 2 cores, most of them building
#   make test    runs every test, as CI does, and says how long each stage took (ci/test.sh)
#   make soak    goes on with fresh seeds for as long as asked: make soak MINUTES=30
#   make watch-kernels   asks the newest kernels and tools of Debian what they changed (ci/watch-kernels.sh)
#   make site-docs   builds the documents as searchable pages in target/site-docs (ci/site-docs.sh)
#   make deb     builds a Debian package with the program, its man pages and a disabled timer
#   make deb-test   builds it, and installs, runs and removes it in a fresh Debian; as root
#   make dist    builds a static program, packed with checksums and a list of its parts (ci/dist.sh)
#   make dist-test   builds it, and runs it in an empty root and in an old Debian; as root
#   make rpm     builds an RPM package of it, and installs, runs and removes it in a root; as root
#   make image   makes a container image of it, and runs its root (docs/container.md); as root
#   make wheel   packs a Python wheel of it, and tries it with pandas and polars
#
# make demo TARGET=/srv/test measures the filesystem of that directory instead of this one's.

TARGET ?= target/demo
DEMO_STORE = target/demo-store.db
DEMO_PROFILES = target/demo-profiles
CARGO ?= cargo
AS_ROOT = $$([ "$$(id -u)" = 0 ] || echo sudo)
# How long `make soak` takes, and how much of it is each fuzzer's in a round.
MINUTES ?= 30
SOAK_FUZZ_SECONDS ?= 60
# Test binaries do not need debug information, and it would be gigabytes.
export CARGO_PROFILE_DEV_DEBUG ?= 0

# What tests draw is the same for every commit: a change turns nothing red but what it breaks.
# SEED=N draws others.
SEED ?= 1
export PROPTEST_RNG_SEED ?= $(SEED)
export STRIPEWISE_TEST_SEED ?= $(SEED)
# A test that cannot run fails, unless it is this machine or user that does not allow it.
export STRIPEWISE_TEST_ALL ?= 1

.PHONY: demo test soak watch-kernels site-docs deb deb-test deb-tools deb-test-tools \
  dist dist-test rpm image wheel dist-tools rpm-tools image-tools web bench fmt tools web-tools lab-tools

demo: tools
	$(CARGO) build --release --locked --package stripewise
	mkdir -p $(TARGET)
	target/release/stripewise run studies/demo.toml --target $(TARGET) --store $(DEMO_STORE)
	target/release/stripewise calibrate --run latest --out $(DEMO_PROFILES) --store $(DEMO_STORE)
	target/release/stripewise run studies/arrays-of-this-disk.toml --world model --profiles $(DEMO_PROFILES) --store $(DEMO_STORE)
	target/release/stripewise report latest --output target/demo.html --store $(DEMO_STORE)

test: tools web-tools lab-tools
	CARGO=$(CARGO) ci/test.sh $(SEED)

# Tests and fuzzers with fresh seeds for MINUTES, and before that the Debian package: more than CI
# has time for.
soak: tools web-tools lab-tools
	@if [ "$$(id -u)" = 0 ]; then $(MAKE) deb-test; else echo "SKIPPED: make deb-test needs root"; fi
	CARGO=$(CARGO) ci/soak.sh $(MINUTES) $(SOAK_FUZZ_SECONDS)

# The newest kernels and tools: drawn cases in a guest of each, limits in sysfs, lines that parsers read.
# Not in CI: it downloads kernels, and takes a quarter of an hour for each. UPDATE_EXPECT=1 records it.
CASES ?= 40
watch-kernels: tools lab-tools
	$(CARGO) build --release --locked --package stripewise
	STRIPEWISE=target/release/stripewise ci/watch-kernels.sh $(CASES)

# A Debian package in target/debian, of the release build. cargo-deb is built once, in target/tools.
deb: tools deb-tools
	@$(WITH_CARGO_DEB) $(CARGO) deb --version >/dev/null 2>&1 || \
	  $(CARGO) install cargo-deb --locked --root target/tools --target-dir target/tools/build
	$(CARGO) build --release --locked --package stripewise
	rm -rf target/debian
	CARGO=$(CARGO) packaging/made-files.sh target/release/stripewise
	$(WITH_CARGO_DEB) $(CARGO) deb --no-build --locked --package stripewise

# Installs the package in a fresh Debian, runs it, and removes it; needs root. `make soak` does it.
deb-test: deb deb-test-tools
	ci/deb.sh target/debian/stripewise_*.deb

# Packages of one static program in target/dist, for users without Rust and without Debian.
# docs/releasing.md explains how to publish them.
dist: tools dist-tools
	CARGO=$(CARGO) ci/dist.sh

dist-test: dist deb-test-tools
	ci/dist-test.sh

rpm: dist rpm-tools
	ci/rpm.sh

image: dist image-tools deb-test-tools
	ci/image.sh

wheel: dist
	ci/wheel.sh

# After a change in web/: builds the front end into crates/report/assets, which is committed, so that
# nobody needs Node.js to build the program.
web: web-tools
	cd web && npm ci --no-audit --no-fund && npm run build

# Python and its packages only: no part of the program is built.
site-docs:
	ci/site-docs.sh

bench: tools
	$(CARGO) bench --workspace --locked

fmt:
	$(CARGO) fmt --all
	cd fuzz && $(CARGO) fmt

# fio measures; a C compiler builds SQLite and QuickJS; a C++ compiler builds libFuzzer.
tools:
	@missing=""; \
	command -v fio >/dev/null || missing="$$missing fio"; \
	command -v cc >/dev/null || missing="$$missing gcc libc6-dev"; \
	command -v c++ >/dev/null || missing="$$missing g++"; \
	$(INSTALL_MISSING)

# Node.js builds and checks the front end; Chromium, without its window, opens its pages in tests.
web-tools:
	@missing=""; \
	command -v node >/dev/null || missing="$$missing nodejs"; \
	command -v npm >/dev/null || missing="$$missing npm"; \
	command -v chromium-headless-shell >/dev/null || missing="$$missing chromium-headless-shell"; \
	$(INSTALL_MISSING)

# QEMU runs the lab's guests; the next prepare them (`stripewise lab doctor` names each); filesystems
# and volumes are made on loop devices, too. Real databases are killed, and keep
# stores. PHP reads what was rewritten, and Python generates dumps; others read what the program writes
# for them, and show its screen. Programs run confined (bubblewrap), and hosts are reached (sshd).
lab-tools:
	@missing=""; \
	command -v qemu-system-x86_64 >/dev/null || missing="$$missing qemu-system-x86"; \
	command -v make >/dev/null || missing="$$missing make"; \
	command -v gcc >/dev/null || missing="$$missing gcc libc6-dev"; \
	command -v readelf >/dev/null || missing="$$missing binutils"; \
	PATH="$$PATH:/usr/sbin:/sbin" command -v mke2fs >/dev/null || missing="$$missing e2fsprogs"; \
	PATH="$$PATH:/usr/sbin:/sbin" command -v mkfs.xfs >/dev/null || missing="$$missing xfsprogs"; \
	PATH="$$PATH:/usr/sbin:/sbin" command -v mkfs.btrfs >/dev/null || missing="$$missing btrfs-progs"; \
	PATH="$$PATH:/usr/sbin:/sbin" command -v pvcreate >/dev/null || missing="$$missing lvm2"; \
	[ ! -e /proc/mdstat ] || PATH="$$PATH:/usr/sbin:/sbin" command -v mdadm >/dev/null || missing="$$missing mdadm"; \
	PATH="$$PATH:/usr/sbin:/sbin" command -v mariadbd >/dev/null || missing="$$missing mariadb-server-core"; \
	command -v mariadb-dump >/dev/null || missing="$$missing mariadb-client"; \
	ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 || missing="$$missing postgresql"; \
	ls /usr/include/postgresql/libpq-fe.h >/dev/null 2>&1 || missing="$$missing libpq-dev"; \
	command -v openssl >/dev/null || missing="$$missing openssl"; \
	command -v sqlite3 >/dev/null || missing="$$missing sqlite3"; \
	command -v php >/dev/null || missing="$$missing php-cli"; \
	command -v python3 >/dev/null || missing="$$missing python3"; \
	command -v zstd >/dev/null || missing="$$missing zstd"; \
	command -v zsh >/dev/null || missing="$$missing zsh"; \
	command -v fish >/dev/null || missing="$$missing fish"; \
	command -v groff >/dev/null || missing="$$missing groff"; \
	command -v tmux >/dev/null || missing="$$missing tmux"; \
	command -v ip >/dev/null || missing="$$missing iproute2"; \
	command -v bwrap >/dev/null || missing="$$missing bubblewrap"; \
	test -x /usr/sbin/sshd || { missing="$$missing openssh-server"; $(MASK_SSH); }; \
	$(INSTALL_MISSING)

# Tests start an sshd of their own on loopback. Debian's package would let one listen on all interfaces:
# its units are masked before it comes. `systemctl unmask ssh.service ssh.socket` undoes that.
define MASK_SSH
if [ -d /run/systemd/system ]; then \
  echo "masking ssh.service and ssh.socket: no sshd is to listen on this machine"; \
  $(AS_ROOT) systemctl mask ssh.service ssh.socket; \
fi
endef

# dpkg-shlibdeps finds the libraries that the program needs.
deb-tools:
	@missing=""; \
	command -v dpkg-shlibdeps >/dev/null || missing="$$missing dpkg-dev"; \
	$(INSTALL_MISSING)

# Python makes the list of parts and packs; readelf looks for libraries.
dist-tools:
	@missing=""; \
	command -v python3 >/dev/null || missing="$$missing python3 python3-venv"; \
	command -v readelf >/dev/null || missing="$$missing binutils"; \
	$(INSTALL_MISSING)

rpm-tools:
	@missing=""; \
	command -v rpmbuild >/dev/null || missing="$$missing rpm"; \
	command -v rpmlint >/dev/null || missing="$$missing rpmlint"; \
	$(INSTALL_MISSING)

image-tools:
	@missing=""; \
	command -v skopeo >/dev/null || missing="$$missing skopeo"; \
	command -v umoci >/dev/null || missing="$$missing umoci"; \
	$(INSTALL_MISSING)

# The package is judged, and installed in a Debian made from its packages.
deb-test-tools:
	@missing=""; \
	command -v lintian >/dev/null || missing="$$missing lintian"; \
	command -v mmdebstrap >/dev/null || missing="$$missing mmdebstrap"; \
	command -v systemctl >/dev/null || missing="$$missing systemd"; \
	$(INSTALL_MISSING)

WITH_CARGO_DEB = PATH="$(CURDIR)/target/tools/bin:$$PATH"

define INSTALL_MISSING
if [ -n "$$missing" ]; then \
  echo "installing:$$missing"; \
  $(AS_ROOT) apt-get update -qq && \
  $(AS_ROOT) env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$missing; \
fi
endef
