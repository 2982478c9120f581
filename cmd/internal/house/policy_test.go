package house

import (
	"go/ast"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// policy lists the permitted imports. A row is "package: rooms of rocec | other modules". Every room may import the standard library, but
// pure rooms must not import impure.
//
// DO NOT CHANGE THIS DATA TO FIX BUILDS: move the code to the right room instead.
const policy = `
lang/diag:               | github.com/hashicorp/hcl/v2
lang/nodeset:            |
lang/inventory:          lang/destination lang/diag lang/nodeset | go.yaml.in/yaml/v3
lang/nexthops:           lang/diag |
lang/lock:               lang/diag |
lang/baseline:           lang/diag lang/nodeset lang/parse | github.com/hashicorp/hcl/v2 github.com/zclconf/go-cty
lang/topology:           lang/diag | github.com/hashicorp/hcl/v2 go.yaml.in/yaml/v3
lang/dscp:               |
lang/destination:        |
lang/parse:              lang/diag | github.com/hashicorp/hcl/v2 github.com/zclconf/go-cty
lang/eval:               lang/parse lang/diag lang/dscp lang/nodeset lang/destination | github.com/hashicorp/hcl/v2
    github.com/zclconf/go-cty
lang:                    lang/parse lang/eval lang/diag lang/nodeset lang/nexthops lang/lock lang/baseline lang/topology |
    github.com/hashicorp/hcl/v2 github.com/zclconf/go-cty github.com/hashicorp/go-version
lang/outline:            lang lang/parse lang/eval lang/diag lang/dscp lang/nodeset | github.com/hashicorp/hcl/v2
lang/langtest:           | github.com/hashicorp/hcl/v2
lang/langtest/machinetest: |
compiler/platform:       |
compiler/ir:             compiler/platform lang/diag lang/lock |
compiler:                lang lang/diag lang/lock lang/nodeset compiler/ir compiler/platform compiler/routes |
compiler/ir/irtest:      compiler/ir compiler/platform lang/diag | pgregory.net/rapid
compiler/compilertest:   compiler compiler/ir lang lang/diag lang/langtest targets |
compiler/graph:          compiler/ir |
compiler/failures:       compiler/graph compiler/ir |
compiler/failures/failurestest: compiler/ir compiler/ir/irtest | pgregory.net/rapid
compiler/routes:         compiler/failures compiler/graph compiler/ir |
compiler/change:         compiler/ir compiler/routes lang/destination |
validate:                validate/proof validate/walk compiler/ir compiler/platform lang/diag lang/dscp lang/nodeset |
validate/proof:          compiler/graph compiler/ir |
validate/claims:         validate/configured validate/watchdogs validate/proof compiler/ir lang/diag lang/nodeset |
validate/configured:     validate/proof compiler/ir |
validate/oracle:         compiler/ir |
validate/sim:            compiler/ir compiler/platform |
validate/storm:          compiler/ir |
validate/settings:       compiler/ir compiler/platform lang/diag lang/nodeset |
validate/watchdogs:      validate/configured validate/proof compiler/ir lang/diag lang/nodeset |
validate/walk:           compiler/ir compiler/platform lang/diag |
targets/commands:        |
targets/target:          targets/commands targets/target/lint targets/target/sender compiler/ir lang/diag lang/nodeset |
targets/target/lint:     lang/diag |
targets/target/sender: |
targets/cumulus/steps:   targets/commands |
targets/cumulus:         targets/commands targets/cumulus/steps targets/target targets/target/lint targets/cumulus/confread
    targets/cumulus/grammar
    targets/cumulus/hardware
    targets/cumulus/conflint targets/cumulus/sim compiler/ir compiler/platform lang/diag |
targets/cumulus/grammar: targets/cumulus/steps compiler/ir lang/diag |
targets/cumulus/confread: targets/target targets/target/lint targets/cumulus/grammar compiler/ir lang/diag |
targets/cumulus/hardware: targets/cumulus/grammar |
targets/cumulus/conflint: targets/target/lint targets/cumulus/grammar targets/nvue/lint validate/settings compiler/platform lang/diag |
targets/cumulus/sim:     targets/target targets/cumulus/grammar |
targets/nvue/steps:      targets/commands |
targets/nvue:            targets/commands targets/nvue/steps targets/target targets/cumulus targets/nvue/grammar targets/nvue/reading
    targets/nvue/lint
    targets/nvue/sim
    compiler/ir compiler/platform lang/diag targets/snapshot |
targets/sonic/steps:     targets/commands |
targets/sonic:           targets/commands targets/sonic/steps targets/target targets/sonic/grammar targets/sonic/read
    targets/sonic/lint targets/sonic/sim
    compiler/ir
    compiler/platform lang/diag lang/nodeset targets/snapshot |
targets/sonic/lint:      validate/settings targets/target/lint targets/sonic/grammar targets/sonic/read lang/diag |
targets/sonic/grammar:   targets/sonic/steps compiler/ir lang/diag lang/nodeset |
targets/sonic/read:      targets/target targets/sonic/grammar compiler/ir lang/diag lang/nodeset |
targets/sonic/sim:       targets/target |
targets/nvue/lint:       targets/target/lint targets/nvue/grammar targets/cumulus/hardware validate/settings compiler/platform
    lang/diag |
targets/nvue/grammar:    targets/cumulus/grammar compiler/ir lang/diag | go.yaml.in/yaml/v3
targets/nvue/reading:    targets/target targets/cumulus targets/nvue/grammar compiler/ir compiler/platform lang/diag |
targets/nvue/sim:        targets/target | go.yaml.in/yaml/v3
targets/nic:             targets/commands targets/nic/steps targets/target targets/target/sender compiler/ir lang/diag |
targets/nic/steps:       targets/commands |
targets/nic/steps/store: targets/commands targets/nic/steps |
targets/nic/senders:     targets/target targets/target/sender targets/nic targets/nic/steps compiler/ir |
targets/nic/stored:      targets/target targets/nic targets/nic/steps targets/nic/steps/store compiler/ir lang/diag lang/nodeset |
targets/nic/mlx5:        targets/target targets/target/sender targets/nic targets/nic/senders targets/nic/sim targets/nic/stored
    targets/nic/mlx5/sim targets/nic/mlx5/steps compiler/ir compiler/platform lang/diag |
targets/nic/sim:         targets/target |
targets/nic/mlx5/sim:    targets/target targets/nic/sim targets/nic/mlx5/sim/mstflint |
targets/nic/mlx5/sim/mstflint: targets/target |
targets/nic/mlx5/steps:  targets/nic/steps targets/nic/steps/store |
targets/nic/hosttest:    targets/nic/sim lang/langtest/machinetest | github.com/stretchr/testify mvdan.cc/sh/v3
targets/nic/nictest:     targets/target targets/nic targets/nic/steps compiler/ir |
targets/target/targettest: targets/target |
targets/nic/mlx4:        targets/target targets/target/sender targets/nic targets/nic/senders
    targets/nic/mlx4/steps targets/nic/sim compiler/ir lang/diag |
targets/nic/mlx4/steps:  targets/nic/steps |
targets/nic/bnxt:        targets/target targets/target/sender targets/nic targets/nic/senders
    targets/nic/bnxt/steps targets/nic/sim compiler/ir lang/diag |
targets/nic/bnxt/steps:  targets/nic/steps |
targets/nic/ice:         targets/target targets/target/sender targets/nic targets/nic/senders
    targets/nic/ice/steps targets/nic/sim compiler/ir lang/diag |
targets/nic/ice/steps:   targets/nic/steps |
targets/nic/qede:        targets/target targets/target/sender targets/nic targets/nic/senders compiler/ir |
targets/nic/ionic:       targets/target targets/target/sender targets/nic targets/nic/senders compiler/ir |
targets/nic/rxe:         targets/target targets/target/sender targets/nic targets/nic/senders
    targets/nic/rxe/steps compiler/ir lang/diag |
targets/nic/rxe/steps:   targets/nic/steps |
targets/nic/tools:       targets/target targets/nic targets/nic/mlx5 targets/nic/mlx4 targets/nic/bnxt targets/nic/ice targets/nic/rxe
    targets/nic/nicoperator compiler/ir lang/diag |
targets/nic/nicoperator: targets/nic targets/target targets/nic/mlx5 targets/nic/steps compiler/ir lang/diag lang/nodeset
    | go.yaml.in/yaml/v3
targets/nic/sheets:      targets/nic compiler/ir compiler/platform lang/diag |
targets:                 targets/commands targets/target targets/target/lint targets/cumulus targets/nvue targets/sonic targets/nic
    targets/nic/tools
    targets/nic/nicoperator
    targets/nic/sheets targets/nic/mlx5 targets/nic/mlx4 targets/nic/bnxt targets/nic/ice targets/nic/ionic targets/nic/qede
    targets/nic/rxe validate/settings compiler/ir compiler/platform lang/diag lang/nodeset lang/topology
    lang/destination targets/snapshot targets/forwarding targets/forwarding/bgp targets/forwarding/kernel targets/forwarding/stp |
targets/forwarding:      |
targets/forwarding/bgp:  targets/forwarding compiler/ir |
targets/forwarding/kernel: targets/forwarding |
targets/forwarding/stp:  targets/forwarding compiler/ir |
targets/judge:           lang lang/diag compiler compiler/ir validate targets targets/target |
targets/deploy:          targets/commands targets/deploy/txn targets/target targets/target/lint validate/settings compiler/ir lang/diag
    lang/nodeset |
    github.com/aymanbagabas/go-udiff golang.org/x/sync
targets/deploy/txn:      |
targets/deploy/seen:     targets/target compiler/ir lang/diag lang/nodeset |
targets/deploy/device/scripts: targets/commands |
targets/deploy/order:    targets/commands |
targets/deploy/device:   targets/commands targets/deploy/device/scripts targets/deploy targets/deploy/order targets/deploy/txn
    targets/target |
targets/deploy/gated:    targets/deploy targets/deploy/device targets/deploy/device/scripts targets/deploy/order | golang.org/x/sync
targets/deploy/sequence: lang/diag lang/nodeset compiler/change compiler/ir validate validate/proof targets/deploy targets/deploy/txn
    targets/target |
targets/deploy/rollout:  targets/deploy targets/deploy/device targets/deploy/gated targets/deploy/txn targets/target | golang.org/x/sync
targets/deploy/traffic:  targets/nic targets/target compiler/ir |
targets/deploy/safefile: lang/diag |
targets/deploy/ssh:      targets/target targets/deploy/safefile lang/destination | golang.org/x/crypto
targets/deploy/lab:      targets/target targets/deploy/safefile targets/deploy/lab/systemd targets/deploy/lab/unix | golang.org/x/crypto
targets/deploy/lab/systemd: targets/deploy/lab/unix |
targets/deploy/lab/unix: targets/target | mvdan.cc/sh/v3
targets/deploy/lab/labtest: targets/target targets/deploy targets/deploy/device targets/deploy/lab targets/deploy/rollout
    targets/deploy/ssh lang/diag | github.com/stretchr/testify
targets/judge/judgetest: targets/judge targets/target |
targets/internal/changes: |
targets/deploy/internal/sshdtest: lang/langtest/machinetest |
targets/deploy/internal/boxtest: targets/target lang/diag lang/langtest/machinetest | github.com/stretchr/testify
targets/deploy/trial:    targets/deploy targets/deploy/traffic targets/target compiler/ir |
targets/deploy/texttest: targets/deploy |
cmd/internal/journal:       cmd/internal/chain cmd/internal/sshsig targets/deploy targets/deploy/safefile targets/deploy/txn lang/diag |
cmd/internal/auditlog:      cmd/internal/journal lang/diag |
cmd/internal/replay:        targets/commands targets/deploy/device/scripts cmd/internal/journal lang/diag targets targets/deploy
    targets/deploy/device targets/target |
cmd/internal/hooks:         cmd/internal/exit cmd/internal/journal lang/diag targets/deploy targets/deploy/rollout |
cmd/internal/bundle:        compiler/ir compiler/platform docs/evidence lang/destination lang/diag targets targets/deploy
    targets/deploy/trial targets/nic targets/target cmd/internal/mask |
cmd/internal/bench:         cmd/internal/bundle cmd/internal/exit cmd/internal/mask cmd/internal/report cmd/internal/session
    cmd/internal/view compiler/ir lang/diag targets targets/deploy targets/deploy/rollout targets/deploy/sequence
    targets/deploy/traffic targets/deploy/trial targets/deploy/txn targets/target |
cmd/rocec-txn:           cmd/internal/sshsig targets/commands targets/cumulus/steps targets/deploy/device/scripts targets/deploy/order
    targets/nic/bnxt/steps targets/nic/ice/steps targets/nic/mlx4/steps targets/nic/mlx5/steps targets/nic/rxe/steps
    targets/nic/steps targets/nvue/steps targets/sonic/steps |
docs:                    lang lang/diag | github.com/yuin/goldmark
docs/docstest:           | github.com/stretchr/testify
docs/evidence:           |
cmd/internal/transcripts: |
cmd/internal/pages:      |
cmd/internal/ending:        cmd/internal/exit cmd/internal/wholefile |
cmd/internal/exit:          lang/diag |
cmd/internal/person:        cmd/internal/ending cmd/internal/exit cmd/internal/view lang/diag targets/target | golang.org/x/term
cmd/internal/devicefiles: cmd/internal/exit cmd/internal/globals cmd/internal/report lang/diag targets targets/judge targets/target/lint
    targets/snapshot cmd/internal/person cmd/internal/wholefile lang/baseline compiler/ir validate/claims
    validate/configured validate/watchdogs |
cmd/internal/fromfiles:     cmd/internal/devicefiles cmd/internal/exit cmd/internal/report cmd/internal/view lang/diag lang/nodeset
    targets targets/deploy targets/deploy/rollout targets/judge targets/target compiler/ir cmd/internal/claimed validate/claims |
cmd/internal/globals:       cmd/internal/exit cmd/internal/person cmd/internal/report compiler/ir lang lang/diag targets targets/deploy
    targets/deploy/safefile targets/deploy/seen targets/judge validate lang/policy |
cmd/internal/revision:      |
cmd/internal/meaning:       cmd/internal/report compiler/ir lang/diag lang/nodeset targets targets/deploy targets/judge
    targets/target/lint |
cmd/internal/operands:      cmd/internal/devicefiles cmd/internal/exit cmd/internal/globals cmd/internal/meaning cmd/internal/revision
    cmd/internal/site lang lang/diag targets targets/judge |
cmd/internal/session:       targets/commands targets/deploy/device/scripts cmd/internal/auditlog cmd/internal/record
    cmd/internal/rights cmd/internal/sshsig lang lang/policy cmd/internal/claimed validate/claims validate/configured validate/watchdogs
    cmd/internal/exit cmd/internal/globals cmd/internal/hooks cmd/internal/journal cmd/internal/person
    cmd/internal/replay cmd/internal/report cmd/internal/samples cmd/internal/savedplan cmd/internal/teamplan cmd/internal/view
    cmd/internal/view/board
    compiler/ir docs/evidence lang/diag lang/eval lang/nodeset targets/deploy targets/deploy/device targets/deploy/gated
    targets/deploy/lab targets/deploy/rollout targets/deploy/safefile
    targets/deploy/seen targets/deploy/sequence targets/deploy/ssh targets/deploy/traffic
    targets/deploy/txn targets/nic targets/target | golang.org/x/term
cmd/internal/metrics:       compiler/ir |
cmd/internal/metrics/metricstest: |
cmd/internal/alerts:        cmd/internal/metrics compiler/ir | go.yaml.in/yaml/v3
cmd/internal/samples:       targets/target targets/deploy targets/deploy/safefile targets/nic validate/claims |
targets/deploy/internal/nspawn: targets/deploy/internal/sshdtest targets/nic/hosttest lang/langtest/machinetest | golang.org/x/sync
targets/deploy/internal/matrix: |
cmd/internal/picture:       compiler/ir compiler/platform validate lang/diag lang/nodeset |
cmd/internal/lsp:           lang lang/diag lang/outline |
cmd/internal/claimed:       compiler/ir lang/diag validate validate/claims validate/proof |
cmd/internal/report:        cmd/internal/claimed validate/claims validate/watchdogs
    docs validate validate/proof compiler compiler/ir lang lang/diag lang/nodeset lang/outline targets
    targets/target/lint targets/deploy targets/deploy/seen targets/judge lang/inventory lang/baseline lang/policy |
cmd/internal/view:          cmd/internal/view/senders targets/target/sender
    cmd/internal/metrics targets/deploy/device/scripts cmd/internal/record cmd/internal/journal cmd/internal/meaning
    cmd/internal/report compiler/change
    compiler/ir docs/evidence
    lang/diag lang/nodeset targets/deploy targets/deploy/device targets/deploy/rollout targets/deploy/seen targets/deploy/sequence
    targets/deploy/traffic targets/deploy/txn targets/nic targets/target cmd/internal/claimed validate/claims validate/storm |
cmd/internal/view/whatif:   cmd/internal/exit cmd/internal/report cmd/internal/view cmd/internal/view/facts compiler/ir compiler/platform
    lang/diag lang/nodeset validate validate/proof validate/sim validate/walk |
cmd/internal/view/trace:    cmd/internal/report cmd/internal/view cmd/internal/view/facts compiler compiler/ir compiler/platform lang
    lang/diag lang/nodeset targets validate validate/walk |
cmd/internal/view/facts:    cmd/internal/exit cmd/internal/report cmd/internal/view compiler/ir compiler/platform lang/diag lang/dscp
    lang/nodeset lang/outline targets targets/target validate validate/walk |
cmd/internal/view/senders:  lang/diag targets/deploy/rollout targets/target targets/target/sender |
cmd/internal/view/board:    cmd/internal/view lang/diag lang/nodeset targets/deploy |
cmd/internal/view/viewtest: lang/diag | github.com/stretchr/testify
cmd/internal/forms:          cmd/internal/alerts cmd/internal/report compiler/ir lang/diag lang/nodeset targets targets/deploy targets/nic
    targets/nic/nicoperator targets/nic/sheets
    targets/target | go.yaml.in/yaml/v3
cmd/internal/forms/folder:   |
cmd/internal/forms/formstest: lang/nodeset | github.com/stretchr/testify
cmd/internal/report/reporttest: | github.com/santhosh-tekuri/jsonschema github.com/stretchr/testify
cmd/internal/savedplan:     cmd/internal/exit cmd/internal/journal cmd/internal/report cmd/internal/rights cmd/internal/sshsig
    cmd/internal/wholefile lang lang/diag targets/deploy
    targets/deploy/safefile |
cmd/internal/wholefile:      |
cmd/internal/statement:  cmd/internal/sshsig |
cmd/internal/broker:  cmd/internal/statement | github.com/nats-io/nats.go
cmd/internal/teamplan:  lang/diag lang/nodeset targets/deploy |
cmd/internal/teamqueue:  cmd/internal/broker cmd/internal/journal cmd/internal/sshsig cmd/internal/statement lang/diag targets/deploy |
cmd/internal/broker/brokertest:  cmd/internal/broker cmd/internal/sshsig cmd/internal/sshsig/sshsigtest cmd/internal/statement |
    github.com/stretchr/testify
cmd/internal/ledger:  cmd/internal/broker cmd/internal/journal cmd/internal/sshsig cmd/internal/statement cmd/internal/teamplan
    cmd/internal/teamqueue lang/nodeset targets/deploy targets/deploy/device |
cmd/internal/team:  cmd/internal/broker cmd/internal/exit cmd/internal/ledger cmd/internal/report cmd/internal/rights cmd/internal/savedplan
    cmd/internal/session cmd/internal/sshsig cmd/internal/statement cmd/internal/teamplan cmd/internal/teamqueue cmd/internal/view
    lang/diag targets/deploy targets/deploy/device |
cmd/internal/teamlook:  cmd/internal/broker cmd/internal/sshsig cmd/internal/statement lang/nodeset |
cmd/rocecd/internal/keys:  cmd/internal/broker cmd/internal/sshsig cmd/internal/statement cmd/internal/wholefile
    | github.com/nats-io/jwt github.com/nats-io/nkeys golang.org/x/crypto
cmd/rocecd/internal/mirror:  cmd/internal/revision |
cmd/rocecd/internal/looking:  cmd/internal/broker cmd/internal/session cmd/internal/statement cmd/internal/teamlook cmd/internal/view
    cmd/rocecd/internal/mirror targets/deploy targets/deploy/device targets/deploy/safefile |
cmd/rocecd/internal/pages:  cmd/internal/broker cmd/internal/ledger cmd/internal/metrics cmd/internal/report cmd/internal/sshsig cmd/internal/statement
    cmd/internal/teamlook cmd/internal/teamqueue lang/diag targets/deploy/device targets/deploy/safefile |
cmd/rocecd/internal/server:  cmd/internal/broker cmd/rocecd/internal/keys | github.com/nats-io/jwt github.com/nats-io/nats-server
cmd/rocecd/internal/site:  cmd/internal/broker cmd/internal/journal cmd/internal/savedplan cmd/internal/session
    cmd/internal/sshsig cmd/internal/statement cmd/internal/teamplan cmd/internal/teamqueue cmd/internal/view
    cmd/rocecd/internal/looking cmd/rocecd/internal/mirror targets/deploy targets/deploy/device targets/deploy/safefile
    targets/deploy/sequence |
cmd/rocecd:  cmd/internal/broker cmd/internal/exit cmd/internal/globals cmd/internal/journal cmd/internal/person cmd/internal/revision
    cmd/internal/rights cmd/internal/session cmd/internal/sshsig cmd/internal/statement cmd/internal/versions cmd/rocecd/internal/keys
    cmd/rocecd/internal/mirror cmd/rocecd/internal/pages cmd/rocecd/internal/server cmd/rocecd/internal/site
    compiler/change lang/diag targets/deploy/device targets/deploy/rollout targets/deploy/sequence
    | github.com/spf13/cobra github.com/spf13/pflag
cmd/internal/chain:          |
cmd/internal/sshsig:         |
cmd/internal/sshsig/sshsigtest: |
cmd/internal/rights:         cmd/internal/auditlog cmd/internal/exit cmd/internal/person cmd/internal/sshsig lang/diag lang/parse
    lang/policy
    targets/deploy/safefile |
cmd/internal/record:         cmd/internal/journal cmd/internal/report cmd/internal/sshsig lang/diag lang/nodeset targets/deploy
    targets/deploy/device |
    github.com/aymanbagabas/go-udiff
lang/policy:             lang/diag lang/parse | github.com/hashicorp/hcl/v2 github.com/zclconf/go-cty
cmd/internal/versions:       |
targets/snapshot:        lang/diag lang/nodeset | go.yaml.in/yaml/v3
lang/inventory:          lang/destination lang/diag lang/nodeset | go.yaml.in/yaml/v3
cmd/internal/mask:          lang/nodeset |
cmd/internal/collect:       cmd/internal/devicefiles cmd/internal/exit cmd/internal/mask cmd/internal/report
    cmd/internal/session cmd/internal/start cmd/internal/wholefile lang/destination lang/diag lang/inventory lang/nodeset
    compiler/ir targets targets/deploy targets/deploy/lab targets/deploy/rollout targets/nic targets/snapshot targets/target
    targets/target/lint cmd/internal/claimed validate/claims validate/configured validate/watchdogs | golang.org/x/sync
cmd/internal/site/sitetest: compiler/ir targets/judge targets/target/lint | github.com/stretchr/testify
cmd/internal/sitefrom:      cmd/internal/claimed
    cmd/internal/devicefiles cmd/internal/exit cmd/internal/globals cmd/internal/intake cmd/internal/report
    cmd/internal/site cmd/internal/view/facts compiler/ir lang/diag targets targets/judge targets/target targets/target/lint
    validate/walk |
cmd/internal/site:          cmd/internal/claimed
    cmd/internal/report cmd/internal/start compiler/ir compiler/platform lang/diag lang/nodeset lang/topology
    targets targets/judge targets/target targets/target/lint validate/settings cmd/internal/devicefiles lang/baseline
    lang/nexthops targets/forwarding |
cmd/internal/intake:        cmd/internal/globals cmd/internal/report cmd/internal/start compiler/ir lang/diag lang/lock lang/topology
    cmd/internal/netbox targets targets/target/lint |
cmd/internal/origin:        |
cmd/internal/readings:      cmd/internal/origin cmd/internal/devicefiles cmd/internal/exit cmd/internal/session compiler/ir lang/diag
    targets targets/deploy targets/snapshot targets/target targets/target/lint validate/storm |
cmd/internal/netbox:        cmd/internal/origin cmd/internal/exit lang/diag lang/nodeset |
cmd/internal/start:         compiler/ir compiler/platform lang lang/diag lang/nodeset lang/topology |
examples:                |
cmd/internal/house:      |
cmd/internal/compare:    examples lang/langtest lang/langtest/machinetest | github.com/rogpeppe/go-internal golang.org/x/sync
cmd/internal/gate:       lang/langtest/machinetest |
cmd/rocec-txn:           targets/commands targets/cumulus/steps targets/nvue/steps targets/sonic/steps targets/nic/steps
    targets/nic/bnxt/steps targets/nic/ice/steps targets/nic/mlx4/steps targets/nic/mlx5/steps targets/nic/rxe/steps
    targets/deploy/device/scripts targets/deploy/order
    cmd/internal/sshsig |
cmd/rocec:               * | github.com/spf13/cobra github.com/spf13/pflag golang.org/x/term github.com/aymanbagabas/go-udiff
`

// programs are run by developers: they may use packages for tests, such as fixtures.
var programs = []string{"cmd/internal/compare", "cmd/internal/gate"}

// outside lists the packages that may use disk, network, environment and clock. These are programs, the two rooms of deploy that reach
// machines, the room that opens files of rocec's own, and packages that only tests import.
var outside = []string{
	"cmd/rocec", "cmd/rocec-txn", "cmd/rocecd",
	"cmd/internal/person", "cmd/internal/globals", "cmd/internal/session", "cmd/internal/ending", "cmd/internal/compare",
	"cmd/internal/gate", "cmd/internal/collect", "cmd/internal/devicefiles", "cmd/internal/forms/folder", "cmd/internal/report",
	"cmd/internal/auditlog", "cmd/internal/hooks", "cmd/internal/journal", "cmd/internal/rights", "cmd/internal/samples",
	"cmd/internal/savedplan", "cmd/internal/wholefile", "cmd/internal/intake", "cmd/internal/fromfiles", "cmd/internal/revision",
	"cmd/internal/operands",
	"cmd/internal/wholefile", "cmd/internal/intake", "cmd/internal/netbox", "cmd/internal/origin",
	"cmd/internal/readings", "cmd/internal/broker", "cmd/rocecd/internal/keys", "cmd/rocecd/internal/site",
	"cmd/rocecd/internal/looking", "cmd/rocecd/internal/mirror", "cmd/rocecd/internal/pages",
	"targets/deploy/ssh", "targets/deploy/lab", "targets/deploy/safefile", "targets/deploy/internal/sshdtest",
	"targets/deploy/internal/boxtest", "targets/deploy/internal/nspawn", "targets/nic/hosttest",
	"targets/target/targettest", "lang/langtest",
	"lang/langtest/machinetest", "targets/deploy/lab/labtest", "targets/judge/judgetest", "docs/docstest",
}

// timed lists the packages that may read the clock, but use nothing else of the machine: simulated machines need the time.
var timed = []string{"targets/deploy/lab/unix"}

// impure lists the packages that the other rooms may not import.
var impure = []string{"os", "os/exec", "os/signal", "syscall", "net", "net/http", "path/filepath"}

// clock lists the functions of package time that the other rooms may not call: time comes in as a value. A timeout of package context
// is permitted: it bounds the wait for a machine, and no code reads the time.
var clock = []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"}

// forTests reports whether only tests may import a package.
func forTests(pkg string) bool {
	return strings.HasSuffix(pkg, "test") || pkg == "targets/deploy/internal/nspawn"
}

func TestImportPolicy(t *testing.T) {
	type rule struct{ ours, others []string }
	rules := map[string]rule{}
	for line := range strings.Lines(strings.ReplaceAll(strings.TrimSpace(policy), "\n    ", " ")) { // a long row continues on the next line
		pkg, rest, ok := strings.Cut(line, ":")
		require.True(t, ok, line)
		ours, others, _ := strings.Cut(rest, "|")
		rules[pkg] = rule{strings.Fields(ours), strings.Fields(others)}
	}
	seen := 0
	for _, p := range theModule(t).pkgs {
		pkg := p.name
		r, ok := rules[pkg]
		if !ok {
			t.Errorf("%s is in no row of the policy: add it to the row of its room", pkg)
			continue
		}
		seen++
		for _, imp := range p.imports {
			room, ours := strings.CutPrefix(imp, modulePath)
			switch {
			case ours:
				if !slices.Contains(r.ours, room) && !slices.Contains(r.ours, "*") {
					t.Errorf("%s imports %s, which its row does not permit", pkg, room)
				}
				if forTests(room) && !forTests(pkg) && !slices.Contains(programs, pkg) {
					t.Errorf("%s imports %s, which is for tests", pkg, room)
				}
			case strings.Contains(strings.Split(imp, "/")[0], "."):
				if !slices.ContainsFunc(r.others, func(m string) bool { return imp == m || strings.HasPrefix(imp, m+"/") }) {
					t.Errorf("%s imports %s, which the policy permits only to other rooms", pkg, imp)
				}
			case slices.Contains(impure, imp):
				if !slices.Contains(outside, pkg) {
					t.Errorf("%s imports %s: pure rooms must not import impure ones", pkg, imp)
				}
			}
		}
	}
	require.Equal(t, len(rules), seen, "every row of the policy is an existing package")
}

// Only packages in outside or timed read the clock or wait by it.
func TestTimeComesInAsAValue(t *testing.T) {
	m := theModule(t)
	read := false
	for _, p := range m.pkgs {
		for _, file := range p.files {
			ast.Inspect(file, func(n ast.Node) bool {
				if sel, ok := n.(*ast.SelectorExpr); ok {
					if x, ok := sel.X.(*ast.Ident); ok && x.Name == "time" && slices.Contains(clock, sel.Sel.Name) {
						read = true
						if !slices.Contains(outside, p.name) && !slices.Contains(timed, p.name) {
							t.Errorf("%s: %s reads the clock (time.%s): pass the time in as a value", m.place(n), p.name, sel.Sel.Name)
						}
					}
				}
				return true
			})
		}
	}
	require.True(t, read, "the test finds a use of package time where it is allowed")
}

// diag may use hcl only for the type of a place.
func TestDiagUsesOnlyRange(t *testing.T) {
	m := theModule(t)
	used := 0
	for _, name := range m.names("lang/diag") {
		ast.Inspect(m.files[name], func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := sel.X.(*ast.Ident); ok && x.Name == "hcl" {
					used++
					require.Equal(t, "Range", sel.Sel.Name, m.place(n))
				}
			}
			return true
		})
	}
	require.Positive(t, used)
}
