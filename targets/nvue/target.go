package nvue

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/cumulus"
	"github.com/rocec/rocec/targets/nvue/lint"
	"github.com/rocec/rocec/targets/target"
)

// Target writes the tree of switches that NVUE configures.
var Target = &target.Target{
	Name:       "nvue",
	Doc:        "sets the tree of NVUE on switches that run Cumulus Linux 5.4 or later and are not configured by files",
	Topics:     Topics,
	OS:         cumulus.OS,
	Files:      lint.Linter,
	Understand: Understand,
	Asks:       asks,
	Keep:       keep,
	Beside:     []string{"applied.yaml", "running.yaml", "config-show.yaml"},
	Stored:     stored,
	Trees:      []string{"/etc/nvue.d/"},
	Generates:  cumulus.Target,
	Serves:     func(d *ir.Device) bool { return cumulus.ConfigOf(d) == cumulus.ByNVUE },
	Check:      Check,
	Render:     render,
	Read:       func(d *ir.Device, content func(string) []byte) *ir.Settings { return Read(d, content(Path)) },
	Rounds:     rounds,
	Transition: both,
	About:      about,
	Identity:   identity,
	Probes:     probes,
	Counters:   cumulus.PauseCounters,
	Inspect:    cumulus.Inspect,
	Image:      image,
	User:       cumulus.OS.User,
	Recall:     recall,

	NeedsReport: func(*ir.Device) bool { return true },
	Claims:      claims,
}

func about(d *ir.Device) string {
	return cumulus.OS.Title + " " + d.Switch.Version + " by NVUE, " + d.Switch.Model.ASIC.Title
}

// render returns the live state of a switch. The settings are lowered when it is first used.
func render(d *ir.Device) ([]target.File, diag.List) {
	w, ds := For(d, d.Switch.Preset)
	if w == nil {
		return nil, ds
	}
	return []target.File{w.File()}, ds
}
