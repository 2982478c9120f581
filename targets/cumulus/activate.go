package cumulus

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/cumulus/grammar"
	"github.com/rocec/rocec/targets/target"
)

// unit is the systemd unit of switchd, the daemon that programs the chip.
const unit = "switchd.service"

// reloadNode is the node that makes switchd of 4.x on Spectrum reload traffic.conf.
const reloadNode = "/cumulus/switchd/config/traffic/reload"

// reloads reports whether switchd of a release on a chip has [reloadNode], and so can load some changes without a restart. Releases from
// 4.4 on reload through systemd instead ([reloadUnit]).
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
			says = append(says, "No "+checker+" was found, although releases from 4.1 on have it: only rocec checks the file before switchd "+
				"reads it.")
		}
		return step, says
	}
}

// choose picks the step for a switch with a reload node, and returns the reason if the step is a restart.
func choose(r grammar.Release, before, after []byte, have []target.Sample) (target.Step, string) {
	if saw(have, nodeFact, nothing) {
		return restart, "switchd restarts: the node that makes it reload traffic.conf is missing (" + reloadNode + ")."
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

// The two steps. On large switches switchd needs more than two minutes to start (its watchdog allows two; CM-27957), and the ports come up
// after that.
var (
	restart = target.Step{
		Name:     "cumulus restart",
		Cmd:      noteLog + "systemctl show -p ActiveEnterTimestampMonotonic " + unit + " >\"$ROCEC_STEP/since\"\nsystemctl restart " + unit,
		Disrupts: "every port resets (switchd restart)",
		Outage:   ir.Outage{Least: 30 * time.Second, Most: 2 * time.Minute},
		Loaded: &target.Query{Cmd: active + logged + `now=$(systemctl show -p ActiveEnterTimestampMonotonic ` + unit + `)
if [ "$now" = "$(cat "$ROCEC_STEP/since")" ]; then
	echo "` + unit + ` has not started again"
	exit 1
fi
how=` + target.Loaded + "\n" + clamped},
		Units:   unit,
		Timeout: 5 * time.Minute,
		Soak:    30 * time.Second,
		Away:    3 * time.Minute,
	}
	reload = target.Step{
		Name:     "cumulus reload",
		Cmd:      noteLog + tell,
		Disrupts: "a brief loss while buffers change (switchd reload)",
		Outage:   ir.Outage{Most: 2 * time.Second}, // the manual calls it "brief"
		Loaded:   &target.Query{Cmd: active + logged + "how='" + target.NotReadable + "'\n" + clamped},
		Units:    unit,
		Timeout:  3 * time.Minute, // enough for an undo that has to start switchd
		Soak:     5 * time.Second,
		Away:     30 * time.Second,
	}
)

const (
	// tell makes switchd reload the file. The node belongs to switchd and is missing while switchd does not run. Where the node is missing, a
	// restart of switchd has the same effect.
	tell = `if test -e ` + reloadNode + ` && systemctl is-active --quiet ` + unit + `; then
	echo 1 >` + reloadNode + `
else
	systemctl restart ` + unit + `
fi`

	active = `if ! systemctl is-active --quiet ` + unit + `; then
	echo "` + unit + ` is not active"
	exit 1
fi
`
)
