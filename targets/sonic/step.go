package sonic

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/commands"
	"github.com/rocec/rocec/targets/sonic/grammar"
	"github.com/rocec/rocec/targets/sonic/steps"
	"github.com/rocec/rocec/targets/target"
)

// stepBetween returns the step that turns one running configuration into another, on a switch of a version with a vendor's chip. The
// second result has the steps of the sequence. States that cannot be read change nothing: the caller has read both.
func stepBetween(version, vendor string, before, after []byte) (target.Step, []grammar.Stage) {
	words := []string{steps.NamePatch, commands.Spell(version), commands.Spell(vendor), commands.Sum(before), commands.Sum(after)}
	name := strings.Join(words, " ")
	forth, _, err := sequence(version, vendor, before, after)
	back, _, err2 := sequence(version, vendor, after, before)
	if err != nil || err2 != nil {
		forth, back = nil, nil
	}
	return step(name, before, after, forth, back), forth
}

// recall returns a step or a query by its name.
func recall(words []string, kept commands.Kept) (*target.Made, error) {
	if len(words) != 5 || words[0] != "patch" {
		made, err := steps.Fixed(words)
		switch {
		case err != nil:
			return nil, err
		case made.Step == nil:
			return &target.Made{Query: made.Query}, nil
		}
		s := step(made.Step.Name, nil, nil, nil, nil)
		return &target.Made{Step: &s}, nil
	}
	version, ok := commands.Spelled(words[1])
	vendor, ok2 := commands.Spelled(words[2])
	if !ok || !ok2 {
		return nil, &commands.Unknown{Name: "sonic " + strings.Join(words, " ")}
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
func step(name string, before, after []byte, forth, back []grammar.Stage) target.Step {
	s := target.StepOf(steps.Patch(name, commands.Sum(before), commands.Sum(after), stages("forth", forth)+stages("back", back)))
	s.Takes = patchTime * time.Duration(len(forth))
	s.Soak, s.Away = 10*time.Second, 30*time.Second
	if len(flapped(forth)) > 0 {
		s.Disrupts = "ports go down for seconds while their queues and buffers change, one after the other (config apply-patch)"
		s.Outage = ir.Outage{Least: time.Second, Most: 30 * time.Second}
	}
	return s
}

// flapped returns the ports that go down during the steps.
func flapped(steps []grammar.Stage) map[string]bool {
	ports := map[string]bool{}
	for _, step := range steps {
		for _, p := range step.Ports {
			ports[p] = true
		}
	}
	return ports
}

// patchTime is the usual maximum duration of a patch with its commands. A switch sorts and checks a patch change by change, a second or
// more for each.
const patchTime = time.Minute

// choose returns the step for one change of the state.
func (w *Wish) choose(before, after []byte, _ []target.Sample) (target.Step, []string) {
	s, forth := stepBetween(w.device.Switch.Version, string(w.device.Switch.Model.ASIC.Vendor), before, after)
	return s, says(forth)
}

// says reports how long patches take, and lists the commands that are not a patch.
func says(steps []grammar.Stage) []string {
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
