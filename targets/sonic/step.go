package sonic

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/sonic/grammar"
	"github.com/rocec/rocec/targets/target"
)

// The scripts a switch runs. The first two are what the others share.
var (
	//go:embed script/rows.sh
	rowsScript string
	//go:embed script/patch.sh
	patchScript string
	//go:embed script/apply.sh
	applyScript string
	//go:embed script/loaded.sh
	loadedScript string
	//go:embed script/keep.sh
	keepScript string
	//go:embed script/undo.sh
	undoScript string
	//go:embed script/back.sh
	backScript string
)

var liveQuery = &target.Query{Cmd: rowsScript + "running || fail 'sonic-cfggen gives no whole configuration'"}

// sum is what a switch is compared with: of the bytes of the state.
func sum(content []byte) string {
	s := sha256.Sum256(content)
	return hex.EncodeToString(s[:])
}

// step makes one running configuration of another. A patch of a port takes it down and up again: SONiC wants a port down
// while its queues, priority groups or maps change (generic_config_updater, patch_sorter.py).
func step(before, after []byte, forth, back []grammar.Step) target.Step {
	text := sum(before) + "\n" + sum(after) + "\n" + stages("forth", forth) + stages("back", back)
	s := target.Step{
		Cmd:   "# config apply-patch\n" + rowsScript + patchScript + applyScript,
		Stdin: text,
		Undo: &target.Query{Cmd: "# config apply-patch of what was there " +
			"before\n" + rowsScript + patchScript + undoScript, Stdin: []byte(text)},
		Back: &target.Query{Cmd: "# sonic-cfggen\nbase=" + sum(before) + "\ngoal=" + sum(after) + "\n" + rowsScript + patchScript +
			backScript},
		Loaded:  &target.Query{Cmd: "# sonic-cfggen\ngoal=" + sum(after) + "\n" + rowsScript + patchScript + loadedScript},
		Keep:    "# config save\n" + rowsScript + keepScript,
		Units:   "database.service config-setup.service",
		Timeout: stageTime * time.Duration(1+max(len(forth), len(back))),
		Takes:   patchTime * time.Duration(len(forth)),
		Soak:    10 * time.Second,
		Away:    30 * time.Second,
	}
	if len(flapped(forth)) > 0 {
		s.Disrupts = "ports go down for seconds while their queues and buffers change, one after the other (config apply-patch)"
		s.Outage = ir.Outage{Least: time.Second, Most: 30 * time.Second}
	}
	return s
}

// flapped names the ports that go down meanwhile.
func flapped(steps []grammar.Step) map[string]bool {
	ports := map[string]bool{}
	for _, step := range steps {
		for _, p := range step.Ports {
			ports[p] = true
		}
	}
	return ports
}

// How long a patch and its commands take, at most, and how long they may take before they count as hanging: a patch is sorted and checked
// change by change, a second or more for each.
const (
	patchTime = time.Minute
	stageTime = 2 * time.Minute
)

// choose gives the step for one change of the state.
func (w *Wish) choose(before, after []byte, _ []target.Sample) (target.Step, []string) {
	forth, _, err := w.Sequence(before, after)
	back, _, err2 := w.Sequence(after, before)
	if err != nil || err2 != nil { // both were read before
		return step(before, after, nil, nil), nil
	}
	return step(before, after, forth, back), says(forth)
}

// says tells how long patches take, and names what is not a patch.
func says(steps []grammar.Step) []string {
	var out, first []string
	if n := len(flapped(steps)); n > 0 {
		first = []string{fmt.Sprintf("%d ports change, each by a patch of its own, which may take a minute.", n)}
		if n == 1 {
			first[0] = "1 port changes by a patch of its own, which may take a minute."
		}
	}
	var dropped []string
	for _, s := range steps {
		for _, c := range s.Cmds {
			out = append(out, "- "+c.String())
		}
		for _, d := range s.Drops {
			dropped = append(dropped, d.Port)
		}
	}
	if len(dropped) > 0 {
		out = append(out, "- sonic-db-cli CONFIG_DB DEL of lossless priority groups (BUFFER_PG) that are left over, and HSET of those beside "+
			"them, at "+
			nodeset.Text(dropped, nodeset.Interfaces, 60))
	}
	if len(out) == 0 {
		return first
	}
	const most = 12
	if n := len(out) - most; n > 0 {
		out = append(out[:most], fmt.Sprintf("- and %d more", n))
	}
	return slices.Concat(first, []string{"What no patch does on this release is done by commands:"}, out)
}
