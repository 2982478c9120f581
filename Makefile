# Two commands do all there is to do on a fresh machine with Go: make demo, make test.

.PHONY: all demo test build bench update

all: build

# The main job on a lab of simulated devices behind real SSH: the plan, the apply, and the plan again, which is empty.
# Touches nothing of this machine.
demo: build
	./rocec validate examples/clos-v2-ecn
	./rocec apply --lab --auto-approve examples/clos-v2-ecn

# Every test, with the race detector; installs what the tests drive for real (Debian packages, as root).
test:
	./.ci/deps
	PATH="$$PATH:/usr/sbin:/sbin" go test -race ./...

build:
	CGO_ENABLED=0 go build -trimpath ./cmd/rocec

bench:
	go test -run '^$$' -bench . -benchmem ./...

# Rewrites golden/, the generated documents, the testdata and the transcripts from what rocec does today; read the diff.
update:
	go test $$(grep -rl 'flag.Bool("update"' --include=*_test.go . | xargs -n1 dirname | sort -u) -update
