package compiler

import (
	"strconv"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
)

// config resolves the way a switch is configured: the one in its block, or else its system's default for the release.
func (c *compiler) config(d *ir.Device, s *lang.Switch, os *ir.OS) {
	w := d.Switch
	if os != nil && os.Default != nil {
		w.Config = os.Default(w.Version)
	}
	if !s.Config.Set() {
		return
	}
	w.ConfigAt = s.Config.At
	wrong := func(format string, args ...any) *diag.Diagnostic {
		return c.report.errorf(topicConfigInvalid, s.Config.At, d.Name, format, args...)
	}
	if d.ByHand != nil {
		wrong("The switch block says config = %q, and its by_hand block says that others set the switch: rocec writes nothing there. Delete one "+
			"of the two.", s.Config.V)
		return
	}
	if os == nil || len(os.Configs) == 0 {
		title := strconv.Quote(w.OS)
		if os != nil {
			title = os.Title
		}
		wrong("The switch block says config = %q, and rocec knows at most one way to configure %s. Delete config.", s.Config.V, title)
		return
	}
	of := os.FindConfig(s.Config.V)
	if of == nil {
		meant := hint(s.Config.V, os.ConfigNames())
		c.instead(wrong("rocec cannot configure %s by %q.%s", os.Title, s.Config.V, hintOrList(s.Config.V, os.ConfigNames())),
			s.Config.V, meant)
		return
	}
	w.Config = of.Name
	if s.Version.Set() && os.Release(w.Version) == "" && of.Not != nil {
		if why := of.Not(w.Version); why != "" {
			wrong("The switch block says config = %q (%s), and %s %s is not configured in this way: %s. Write config = %q, or delete config.",
				of.Name, of.Doc, os.Title, w.Version, why, os.Default(w.Version))
		}
	}
}

// preset resolves whether the vendor's preset for RoCE is kept, on systems with such a preset.
func (c *compiler) preset(d *ir.Device, s *lang.Switch, os *ir.OS) {
	d.Switch.Preset = ir.Preset(s.Preset.V)
	if s.Preset.Set() && os != nil && !os.Presets {
		c.report.errorf(topicConfigInvalid, s.Preset.At, d.Name, "The switch block says preset = %q, and rocec knows no command that sets "+
			"all of RoCE at once on %s. Delete preset.", s.Preset.V, os.Title)
	}
}

var topicConfigInvalid = &diag.Topic{Code: "config-invalid", Summary: "the switch is not configured in this way"}
