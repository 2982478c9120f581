package sonic

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/sonic/grammar"
	"github.com/rocec/rocec/targets/sonic/read"
	"github.com/rocec/rocec/targets/target"
)

// Read returns the settings of a switch from its state. A port sends pauses for a priority that has PFC and a lossless priority group. If
// the state has no groups, or the port is down, PFC alone decides. Headroom is the sum over the priority groups of a port
// ([read.Headroom]). The result is nil if the text is empty or cannot be read. Read never fails, whatever the bytes.
func Read(d *ir.Device, content []byte) *ir.Settings {
	if len(content) == 0 {
		return nil
	}
	cfg, err := grammar.ReadRows(content)
	if err != nil || len(cfg.Tables) == 0 {
		return nil
	}
	names := make([]string, len(d.Ports))
	for i, p := range d.Ports {
		names[i] = p.Name
	}
	s := read.Settings(cfg, names)
	s.System = system(s.System)
	return s
}

// Understand reads the configuration of one switch, by paths, in the forms that people keep it in ([read.Understand]).
func Understand(id target.Identity, contents map[string][]byte) *target.Understood {
	u := read.Understand(id, contents)
	u.Settings.System = system(u.Settings.System)
	return u
}

// system returns the model and the chip of a platform. They are unknown if the table of models lacks the platform.
func system(s ir.System) ir.System {
	m := FindPlatform(s.Model.Value)
	s.Model = ir.Setting[string]{}
	if m != nil {
		s.Model, s.Chip = ir.Of(m.Name), ir.Of(m.ASIC.Name)
	}
	return s
}
