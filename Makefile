# Two commands do all there is to do on a fresh machine with Go: make demo, make test.

.PHONY: all demo check test test-long reliability build install bench update dist

all: build

# The main job on a lab of simulated devices behind real SSH: the plan, the apply, and the plan again, which is empty.
# Touches nothing of this machine.
demo: build
	./rocec apply --lab=new --auto-approve examples/clos-v2-ecn

# The limit ends a package whose tests hang.
LIMIT = -timeout 4h
# A program that is missing fails the test that needs it. GOGC: machinetest.Hasten says why. make check and .ci/run vet all at once.
TEST = PATH="$$PATH:/usr/sbin:/sbin" ROCEC_TEST=all GOGC=400 go test -vet=off $(LIMIT)

# For the edit loop, under 90 seconds on 2 cores: vet and the unit tests, without the race detector, servers and browsers. Rapid
# draws a fifth of RAPID_CHECKS with -short, so that laws are held to as many cases as elsewhere.
check:
	./.ci/deps
	go vet ./...
	RAPID_CHECKS=500 $(TEST) -short ./...

# Every test, each without the cases of -whole; installs what the tests drive for real (Debian packages, as root). Then, with the race
# detector and as far as -short goes, the packages that start goroutines.
test:
	./.ci/deps
	$(TEST) -p 2 $(LONG:%=./%) ./...
	$(TEST) -race -short -p 2 $(RACE)

# What takes longest begins first, so that both cores have work to the end.
LONG = cmd/rocec targets/deploy/internal/matrix targets/deploy/rollout cmd/internal/transcripts targets/nic/mlx5 cmd/internal/pages \
	targets/internal/changes targets/deploy/internal/nspawn targets/deploy/ssh targets
# What starts goroutines, and what reaches them: the other packages run with the race detector in make test-long.
RACE = ./cmd/internal/lsp ./compiler ./compiler/failures ./compiler/ir ./compiler/routes ./lang/parse ./targets/deploy \
	./targets/deploy/device ./targets/deploy/lab ./targets/deploy/lab/systemd ./targets/deploy/lab/unix ./targets/deploy/rollout \
	./targets/deploy/ssh ./targets/judge ./validate ./validate/proof ./validate/walk

# What takes longer than anybody waits for: every fuzz test for a minute, ssh_config against ssh itself on 4,000 files, the tests of
# deploy ten times in other orders, a fleet of 1,000 devices in waves, and every cell of the fault matrix.
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

# Every fault at every command of a change, on real devices, which takes hours; its counts go into docs/reliability.md.
reliability:
	./.ci/deps
	$(TEST) ./targets/deploy/internal/matrix -whole -write $(CURDIR)/docs/reliability.md -timeout 48h

# In the source archive of a release, which is no repository, the version stands in a file.
VERSION_FILE = $(wildcard .release/VERSION)
build:
	CGO_ENABLED=0 go build -trimpath $(if $(VERSION_FILE),-ldflags "-X main.version=$$(cat $(VERSION_FILE))") ./cmd/rocec

# rocec, its man pages and completions below DESTDIR and PREFIX. Without Go, as for most roots by sudo, it installs what make build made.
# ROCEC is a program that is installed instead.
PREFIX = /usr/local
ROCEC =
install: $(if $(ROCEC),,$(if $(shell command -v go 2>/dev/null),build))
	@umask 022 && program="$(or $(ROCEC),./rocec)" && bin="$(DESTDIR)$(PREFIX)/bin" && share="$(DESTDIR)$(PREFIX)/share" && \
	mkdir -p "$$bin" "$$share/man/man1" "$$share/bash-completion/completions" "$$share/zsh/site-functions" \
		"$$share/fish/vendor_completions.d" && \
	install -m 0755 "$$program" "$$bin/rocec" && \
	"$$program" help --man "$$share/man/man1" && \
	"$$program" completion bash >"$$share/bash-completion/completions/rocec" && \
	"$$program" completion zsh >"$$share/zsh/site-functions/_rocec" && \
	"$$program" completion fish >"$$share/fish/vendor_completions.d/rocec.fish" && \
	echo "$$bin/rocec"

# A release of the commit that is checked out, in dist/, and its use as people would: CONTRIBUTING.md.
dist:
	./.ci/deps
	./.release/build
	./.release/check

bench:
	go test -run '^$$' -bench . -benchmem ./...

# Rewrites golden/, the generated documents, the testdata and the transcripts from what rocec does today; read the diff. Of the packages
# with a flag -update it runs the tests that write.
WRITES = Bad|CommandsInProse|Docs|Dot|Forms|FormatsGolden|Golden|JSON|Loop|Manual|Matrix|Measures$$|PTM|Published|Scenes|Scripts|Selftest
update:
	$(TEST) ./targets/deploy/rollout -run '^TestScenarios$$/^flushed$$' -update
	$(TEST) -run '^Test($(WRITES))' \
		$$(grep -rl 'flag.Bool("update"' --include=*_test.go . | xargs -n1 dirname | grep -v /rollout | sort -u) -update
