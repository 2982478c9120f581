# A fresh machine with Go needs only two commands: make demo, make test.

.PHONY: all demo check test test-long reliability build gates install bench update dist

all: build

# Plans and applies the settings on simulated devices behind real SSH, and plans again, which shows no change. It changes nothing on this
# machine.
demo: build
	./rocec apply --lab=new --auto-approve examples/clos-v2-ecn

# The time limit ends a package with a test that hangs.
LIMIT = -timeout 4h
# ROCEC_TEST=all: a test fails if a program that it needs is missing. GOGC: see machinetest.Hasten. -vet=off: make check and .ci/run run
# go vet once for all packages.
TEST = PATH="$$PATH:/usr/sbin:/sbin" ROCEC_TEST=all GOGC=400 go test -vet=off $(LIMIT)

# Runs vet and the unit tests in less than 90 seconds on 2 cores, without the race detector, servers and browsers. With -short, rapid
# uses a fifth of RAPID_CHECKS, so property tests check as many cases as in make test.
check:
	./.ci/deps
	go vet ./...
	RAPID_CHECKS=500 $(TEST) -short ./...

# Runs every test without the cases of -whole. First it installs the programs that the tests run (Debian packages, as root). Last it runs
# the packages that start goroutines with the race detector and -short.
test:
	./.ci/deps
	$(TEST) -p 2 $(LONG:%=./%) ./...
	$(TEST) -race -short -p 2 $(RACE)

# The slowest packages start first, so that both cores are busy until the end.
LONG = cmd/rocec targets/deploy/internal/matrix targets/deploy/rollout cmd/internal/transcripts targets/nic/mlx5 cmd/internal/pages \
	targets/internal/changes targets/deploy/internal/nspawn targets/deploy/ssh targets
# These packages start goroutines or call packages that do. The other packages run with the race detector in make test-long.
RACE = ./cmd/internal/lsp ./compiler ./compiler/failures ./compiler/ir ./compiler/routes ./lang/parse ./targets/deploy \
	./targets/deploy/device ./targets/deploy/lab ./targets/deploy/lab/systemd ./targets/deploy/lab/unix ./targets/deploy/rollout \
	./targets/deploy/ssh ./targets/judge ./validate ./validate/proof ./validate/walk

# Runs the tests that take hours: every fuzz test for a minute, 4,000 ssh_config files compared with ssh, and the tests of deploy ten times
# in random order. It also runs a fleet of 1,000 devices in waves, and every cell of the fault matrix.
test-long: test reliability
	for pkg in $$(go list ./...); do \
		for fuzz in $$(go test -list '^Fuzz' $$pkg | grep '^Fuzz'); do \
			go test $$pkg -run '^$$' -fuzz "^$$fuzz\$$" -fuzztime 60s || exit 1; \
		done; \
	done
	go test $(LIMIT) ./targets/deploy/ssh -run '^TestAgainstSSH$$' -rapid.checks 4000
	$(TEST) -timeout 12h $$(grep -rl 'flag.Bool("whole"' --include=*_test.go . | xargs -n1 dirname | grep -v /matrix | sort -u) -whole
	$(TEST) -race -timeout 24h $$(go list ./... | grep -v -e /matrix$$ -e /house$$)
	$(TEST) -race -shuffle=on -count=10 -timeout 24h $$(go list ./targets/deploy/... | grep -v /matrix$$)
	./.release/build
	PATH="$$PATH:/usr/sbin:/sbin" ./.release/check --whole

# Injects every fault at every command of a change, on real devices. This takes hours. The counts are written to docs/reliability.md.
reliability:
	./.ci/deps
	$(TEST) ./targets/deploy/internal/matrix -whole -write $(CURDIR)/docs/reliability.md -timeout 48h

# The source archive of a release is no git repository, so a file contains the version.
VERSION_FILE = $(wildcard .release/VERSION)
build:
	CGO_ENABLED=0 go build -trimpath $(if $(VERSION_FILE),-ldflags "-X main.version=$$(cat $(VERSION_FILE))") ./cmd/rocec

# Builds the gates that rocec gate --install puts on devices: rocec finds lib/rocec beside it.
GATES = lib/rocec
gates:
	mkdir -p lib/rocec
	for gate in amd64 arm64 armhf; do \
		CGO_ENABLED=0 GOOS=linux GOARCH=$${gate%hf} GOARM=6 go build -trimpath -o lib/rocec/rocec-txn-$$gate \
			-ldflags "-s -w $(if $(VERSION_FILE),-X main.release=$$(cat $(VERSION_FILE)))" ./cmd/rocec-txn || exit 1; \
	done

# Installs rocec, its gates, man pages and completions below DESTDIR and PREFIX. Without Go, as usual for root under sudo, it installs the
# programs that make build gates has built. ROCEC=FILE installs that program instead, and GATES=FOLDER has its gates.
PREFIX = /usr/local
ROCEC =
install: $(if $(ROCEC),,$(if $(shell command -v go 2>/dev/null),build gates))
	@umask 022 && program="$(or $(ROCEC),./rocec)" && bin="$(DESTDIR)$(PREFIX)/bin" && share="$(DESTDIR)$(PREFIX)/share" && \
	mkdir -p "$$bin" "$$share/man/man1" "$$share/bash-completion/completions" "$$share/zsh/site-functions" \
		"$$share/fish/vendor_completions.d" && \
	install -m 0755 "$$program" "$$bin/rocec" && \
	for gate in "$(GATES)"/rocec-txn-*; do if [ -f "$$gate" ]; then \
		mkdir -p "$(DESTDIR)$(PREFIX)/lib/rocec" && install -m 0755 "$$gate" "$(DESTDIR)$(PREFIX)/lib/rocec/" || exit 1; fi; done && \
	"$$program" help --man "$$share/man/man1" && \
	"$$program" completion bash >"$$share/bash-completion/completions/rocec" && \
	"$$program" completion zsh >"$$share/zsh/site-functions/_rocec" && \
	"$$program" completion fish >"$$share/fish/vendor_completions.d/rocec.fish" && \
	echo "$$bin/rocec"

# Makes a release of the checked-out commit in dist/, and installs and runs it as users would (CONTRIBUTING.md).
dist:
	./.ci/deps
	./.release/build
	./.release/check

bench:
	go test -run '^$$' -bench . -benchmem ./...

# Rewrites golden/, the generated documents, the testdata and the transcripts from rocec's present behaviour. Read the diff. In packages
# with a flag -update it runs only the tests that write files.
WRITES = Bad|CommandsInProse|Docs|Dot|Forms|FormatsGolden|Golden|JSON|Loop|Manual|Matrix|Measures$$|PTM|Published|Scenes|Scripts|Selftest
update:
	$(TEST) ./targets/deploy/rollout -run '^TestScenarios$$/^flushed$$' -update
	$(TEST) -run '^Test($(WRITES))' \
		$$(grep -rl 'flag.Bool("update"' --include=*_test.go . | xargs -n1 dirname | grep -v /rollout | sort -u) -update
