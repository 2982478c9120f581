package sonic

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/sonic/lint"
	"github.com/rocec/rocec/targets/target"
)

// Target writes the tables of CONFIG_DB of switches that run SONiC.
var Target = &target.Target{
	Name:       "sonic",
	Doc:        "changes the tables of CONFIG_DB on switches that run SONiC 202205 to 202605",
	Topics:     Topics,
	OS:         OS,
	Files:      lint.Linter,
	Check:      Check,
	Render:     render,
	Read:       func(d *ir.Device, content func(string) []byte) *ir.Settings { return Read(d, content(Path)) },
	Rounds:     rounds,
	Transition: both,
	Understand: Understand,
	Asks:       asks,
	Forwards:   forwards,
	Keep:       keep,

	ReleaseFile: "sonic_version.yml",
	Stated:      stated,

	Beside:   []string{"pg_profile_lookup.ini", "qos.json", "buffers.json"},
	Trees:    []string{"/etc/sonic/", "/etc/rocec/", "/usr/share/sonic/"},
	About:    about,
	Identity: identity,
	Probes:   probes,
	Counters: pauseCounters,
	Inspect:  inspect,
	Image:    image,
	User:     OS.User,
	Recall:   recall,

	NeedsReport: func(*ir.Device) bool { return true },
	Claims:      claims,
}

func about(d *ir.Device) string {
	return OS.Title + " " + d.Switch.Version + ", " + d.Switch.Model.ASIC.Title
}

// render returns the live state of a switch. The settings are lowered when it is first used.
func render(d *ir.Device) ([]target.File, diag.List) {
	w, ds := For(d)
	if w == nil {
		return nil, ds
	}
	return []target.File{w.File()}, ds
}
