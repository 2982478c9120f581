package cumulus

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/commands"
	"github.com/rocec/rocec/targets/cumulus/grammar"
	"github.com/rocec/rocec/targets/cumulus/steps"
	"github.com/rocec/rocec/targets/target"
)

// reloads reports whether switchd of a release on a chip has [steps.ReloadNode], and so can load some changes without a restart. Releases
// from 4.4 on reload through systemd instead ([reloadUnit]).
func reloads(r grammar.Release, asic *platform.ASIC) bool {
	return grammar.CanReload(r) && !split(r) && asic.Vendor == platform.Mellanox
}

// activate returns the step that makes switchd load any change of the file. By the manuals this is a restart, which resets every port. A
// reload is enough for every key on Spectrum with 4.3, and from 4.4 on.
func activate(r grammar.Release, asic *platform.ASIC) target.Step {
	if split(r) {
		return reloadUnit
	}
	if reloads(r, asic) && grammar.ReloadsAll(r) {
		return reload
	}
	return restart
}

// chooser returns a function that picks the step for one change. On a switch with a reload node, the step depends on the changed keys and
// on whether the node was found.
func chooser(r grammar.Release, asic *platform.ASIC) func(before, after []byte, have []target.Sample) (target.Step, []string) {
	return func(before, after []byte, have []target.Sample) (step target.Step, says []string) {
		step = activate(r, asic)
		if reloads(r, asic) {
			why := ""
			if step, why = choose(r, before, after, have); why != "" {
				says = append(says, why)
			}
		}
		if saw(have, checkerFact, nothing) {
			says = append(says, "No "+steps.Tool+" was found, although releases from 4.1 on have it: only rocec checks the file before switchd "+
				"reads it.")
		}
		return step, says
	}
}

// choose picks the step for a switch with a reload node, and returns the reason if the step is a restart.
func choose(r grammar.Release, before, after []byte, have []target.Sample) (target.Step, string) {
	if saw(have, nodeFact, nothing) {
		return restart, "switchd restarts: the node that makes it reload traffic.conf is missing (" + steps.ReloadNode + ")."
	}
	keys := restarting(before, after, r)
	if len(keys) == 0 {
		return reload, ""
	}
	more := ""
	if n := len(keys) - 1; n > 0 {
		more = " and " + diag.Count(n, "more key")
	}
	return restart, fmt.Sprintf("switchd restarts: on %d.%d a reload cannot apply a change of "+
		"%s%s.", r[0], r[1], target.Escape(keys[0]), more)
}

// saw reports whether the samples of a device contain a fact under a name.
func saw(have []target.Sample, name, fact string) bool {
	return slices.ContainsFunc(have, func(s target.Sample) bool { return s.Name == name && s.Fact == fact })
}

// restarting lists the keys, sorted, that differ between two contents and that a reload cannot apply.
func restarting(before, after []byte, r grammar.Release) []string {
	values := func(content []byte) grammar.Values {
		lines, _ := grammar.Parse(content)
		return grammar.ValuesOf(lines)
	}
	was, is := values(before), values(after)
	changed := map[string]bool{}
	for _, side := range []grammar.Values{was, is} {
		for key := range side {
			old, had := was[key]
			now, has := is[key]
			if (had != has || !same(old, now)) && !grammar.Reloads(r, key) {
				changed[key] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(changed))
}

// The steps, with their effects on traffic. Changes of buffers, PFC or link pause may lose packets for a moment.
var (
	restart = func() target.Step {
		s := target.StepOf(steps.Restart())
		s.Disrupts = "every port resets (switchd restart)"
		s.Outage = ir.Outage{Least: 30 * time.Second, Most: 2 * time.Minute}
		s.Soak, s.Away = 30*time.Second, 3*time.Minute
		return s
	}()
	reload     = reloading(steps.Reload())
	reloadUnit = reloading(steps.ReloadUnit())
)

// reloading returns a step that does not restart switchd.
func reloading(c *commands.Step) target.Step {
	s := target.StepOf(c)
	s.Disrupts = "a brief loss while buffers change (switchd reload)"
	s.Outage = ir.Outage{Most: 2 * time.Second} // the manual calls it "brief"
	s.Soak, s.Away = 5*time.Second, 30*time.Second
	return s
}
