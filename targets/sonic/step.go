package sonic

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/commands"
	"github.com/rocec/rocec/targets/sonic/grammar"
	"github.com/rocec/rocec/targets/target"
)

// The scripts that a switch runs. The other scripts include the first two.
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

var liveQuery = &target.Query{Name: nameRows, Cmd: rowsScript + "running || fail 'sonic-cfggen gives no whole configuration'"}

// The names of queries and steps, see [target.Target.Recall].
const (
	nameRows  = "sonic rows"
	namePatch = "sonic patch" // with a version, a vendor of chips and the SHA-256 of the old and the new state
)

// sum returns the checksum of a state, which is compared with the checksum on the switch.
func sum(content []byte) string { return commands.Sum(content) }

// stepBetween returns the step that turns one running configuration into another, on a switch of a version with a vendor's chip. The
// second result has the steps of the sequence. States that cannot be read change nothing: the caller has read both.
func stepBetween(version, vendor string, before, after []byte) (target.Step, []grammar.Step) {
	name := namePatch + " " + commands.Spell(version) + " " + commands.Spell(vendor) + " " + sum(before) + " " + sum(after)
	forth, _, err := sequence(version, vendor, before, after)
	back, _, err2 := sequence(version, vendor, after, before)
	if err != nil || err2 != nil {
		forth, back = nil, nil
	}
	return step(name, before, after, forth, back), forth
}

// recall returns a step or a query by its name.
func recall(words []string, kept commands.Kept) (*target.Made, error) {
	unknown := &commands.Unknown{Name: "sonic " + strings.Join(words, " ")}
	switch {
	case slices.Equal(words, []string{"rows"}):
		return &target.Made{Query: liveQuery}, nil
	case slices.Equal(words, []string{"patch"}):
		s := step(namePatch, nil, nil, nil, nil)
		return &target.Made{Step: &s}, nil
	case len(words) != 5 || words[0] != "patch":
		return nil, unknown
	}
	version, ok := commands.Spelled(words[1])
	vendor, ok2 := commands.Spelled(words[2])
	if !ok || !ok2 {
		return nil, unknown
	}
	before, err := kept(words[3])
	if err != nil {
		return nil, err
	}
	after, err := kept(words[4])
	if err != nil {
		return nil, err
	}
	s, _ := stepBetween(version, vendor, before, after)
	return &target.Made{Step: &s}, nil
}

// step returns the step that turns one running configuration into another. A patch of a port takes the port down and up again: SONiC
// needs a port to be down while its queues, priority groups or maps change (generic_config_updater, patch_sorter.py).
func step(name string, before, after []byte, forth, back []grammar.Step) target.Step {
	text := sum(before) + "\n" + sum(after) + "\n" + stages("forth", forth) + stages("back", back)
	s := target.Step{
		Name:  name,
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

// flapped returns the ports that go down during the steps.
func flapped(steps []grammar.Step) map[string]bool {
	ports := map[string]bool{}
	for _, step := range steps {
		for _, p := range step.Ports {
			ports[p] = true
		}
	}
	return ports
}

// The usual maximum duration of a patch with its commands, and the time after which they count as hanging. A switch sorts and checks a
// patch change by change, a second or more for each.
const (
	patchTime = time.Minute
	stageTime = 2 * time.Minute
)

// choose returns the step for one change of the state.
func (w *Wish) choose(before, after []byte, _ []target.Sample) (target.Step, []string) {
	s, forth := stepBetween(w.device.Switch.Version, string(w.device.Switch.Model.ASIC.Vendor), before, after)
	return s, says(forth)
}

// says reports how long patches take, and lists the commands that are not a patch.
func says(steps []grammar.Step) []string {
	var out, first []string
	if n := len(flapped(steps)); n > 0 {
		first = []string{fmt.Sprintf("%d ports change, each by its own patch, which may take a minute.", n)}
		if n == 1 {
			first[0] = "1 port changes by its own patch, which may take a minute."
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
		out = append(out, "- sonic-db-cli CONFIG_DB DEL of unneeded lossless priority groups (BUFFER_PG), and HSET of the groups next to "+
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
	return slices.Concat(first, []string{"Changes that no patch can make on this release:"}, out)
}
