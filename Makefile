# Two commands do all there is to do on a fresh machine with Go: make demo, make test.

.PHONY: all demo check test test-packages test-command test-devices test-long reliability build bench update dist

all: build

# The main job on a lab of simulated devices behind real SSH: the plan, the apply, and the plan again, which is empty.
# Touches nothing of this machine.
demo: build
	./rocec validate examples/clos-v2-ecn
	./rocec apply --lab=new --auto-approve examples/clos-v2-ecn

# The limit ends a package whose tests hang. The longest takes 11 minutes on 2 cores, and half an hour with 40 % of one.
LIMIT = -timeout 4h

# For the edit loop, under 90 seconds on 2 cores: vet and the unit tests, without the race detector, servers and browsers. Rapid
# draws a fifth of RAPID_CHECKS with -short, so that laws are held to as many cases as elsewhere.
check:
	./.ci/deps
	go vet ./...
	PATH="$$PATH:/usr/sbin:/sbin" GOGC=400 RAPID_CHECKS=500 go test -short $(LIMIT) ./...

# Every test; installs what the tests drive for real (Debian packages, as root). Two parts run side by side, and then devices in
# containers by themselves: on a machine with other work, the times of their dead-men and steps are longer.
test:
	./.ci/deps
	$(MAKE) -j2 test-packages test-command
	$(MAKE) test-devices

# Where much runs side by side, with the race detector; two packages at once, since many tests wait for devices.
RACE = ./cmd/internal/... ./compiler/... ./targets/deploy/... ./targets/judge/... ./validate/...
# What reads and writes texts, mostly in one goroutine: whole with the race detector in make test-long; where there are goroutines,
# as far as -short goes in make test.
PLAIN = ./docs/... ./examples/... ./lang/... ./targets/cumulus/... ./targets/nic/... ./targets/nvue/... ./targets/sonic/... ./targets/target/...

# All packages but the command, the random fabrics of targets, and devices in containers.
test-packages:
	PATH="$$PATH:/usr/sbin:/sbin" go test -race $(LIMIT) -p 2 $$(go list $(RACE) | grep -v -e /nspawn$$ -e /matrix$$ -e /house$$)
	PATH="$$PATH:/usr/sbin:/sbin" go test $(LIMIT) -p 2 $(PLAIN)
	PATH="$$PATH:/usr/sbin:/sbin" go test -race -short $(LIMIT) -p 2 ./lang/... ./targets/cumulus ./targets/nvue ./targets/sonic

# The command, whose tests start rocec some thousand times, the source, and the random fabrics: without the race detector, and a part of
# these with it.
test-command:
	PATH="$$PATH:/usr/sbin:/sbin" go test $(LIMIT) -p 1 ./cmd/internal/house ./cmd/rocec ./targets
	PATH="$$PATH:/usr/sbin:/sbin" go test -race -short $(LIMIT) ./targets

test-devices:
	PATH="$$PATH:/usr/sbin:/sbin" go test -race $(LIMIT) -p 1 ./targets/deploy/internal/nspawn ./targets/deploy/internal/matrix

# What takes longer than anybody waits for: every fuzz test for a minute, ssh_config against ssh itself on 4,000 files, the tests of
# deploy ten times in other orders, a fleet of 1,000 devices in waves, and every cell of the fault matrix.
test-long: test reliability
	for pkg in $$(go list ./...); do \
		for fuzz in $$(go test -list '^Fuzz' $$pkg | grep '^Fuzz'); do \
			go test $$pkg -run '^$$' -fuzz "^$$fuzz\$$" -fuzztime 60s || exit 1; \
		done; \
	done
	go test $(LIMIT) ./targets/deploy/ssh -run '^TestAgainstSSH$$' -rapid.checks 4000
	go test $(LIMIT) ./validate/oracle -run '^TestPlannedCables$$' -whole
	PATH="$$PATH:/usr/sbin:/sbin" go test -timeout 12h ./targets/deploy/rollout ./targets/nic/mlx5 -whole
	PATH="$$PATH:/usr/sbin:/sbin" go test $(LIMIT) ./cmd/rocec -run '^TestColleague$$' -whole
	PATH="$$PATH:/usr/sbin:/sbin" go test -race -timeout 12h ./cmd/rocec ./targets $(PLAIN)
	PATH="$$PATH:/usr/sbin:/sbin" go test -race -shuffle=on -count=10 -timeout 24h $$(go list ./targets/deploy/... | grep -v /matrix$$)
	./.release/build
	PATH="$$PATH:/usr/sbin:/sbin" ./.release/check --whole

# Every fault at every command of a change, on real devices, which takes hours; its counts go into docs/reliability.md.
reliability:
	./.ci/deps
	PATH="$$PATH:/usr/sbin:/sbin" go test ./targets/deploy/internal/matrix -whole -write $(CURDIR)/docs/reliability.md -timeout 48h

# In the source archive of a release, which is no repository, the version stands in a file.
VERSION_FILE = $(wildcard .release/VERSION)
build:
	CGO_ENABLED=0 go build -trimpath $(if $(VERSION_FILE),-ldflags "-X main.version=v$$(cat $(VERSION_FILE))") ./cmd/rocec

# A release of the commit that is checked out, in dist/, and its use as people would: CONTRIBUTING.md.
dist:
	./.ci/deps
	./.release/build
	./.release/check

bench:
	go test -run '^$$' -bench . -benchmem ./...

# Rewrites golden/, the generated documents, the testdata and the transcripts from what rocec does today; read the diff. Of the packages
# with a flag -update it runs the tests that write.
WRITES = Bad|Docs|Dot|Forms|FormatsGolden|Golden|JSON|Loop|Manual|Matrix|Measures$$|PTM|Published|Scenes|Scripts|Selftest
update:
	go test $(LIMIT) ./targets/deploy/rollout -run '^TestScenarios$$/^flushed$$' -update
	PATH="$$PATH:/usr/sbin:/sbin" go test $(LIMIT) -run '^Test($(WRITES))' \
		$$(grep -rl 'flag.Bool("update"' --include=*_test.go . | xargs -n1 dirname | grep -v /rollout | sort -u) -update
