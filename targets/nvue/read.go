package nvue

import (
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/nvue/grammar"
	"github.com/rocec/rocec/targets/nvue/reading"
	"github.com/rocec/rocec/targets/target"
)

// Read returns the settings of a fabric's switch from its tree ([reading.Read]). The result is nil if the text is empty or cannot be
// read. Read never fails, whatever the bytes.
func Read(d *ir.Device, content []byte) *ir.Settings {
	return reading.Read(names(d.Ports), d.Switch.Version, content)
}

// Understand reads the configuration of one switch, in every form ([reading.Understand]). It never fails.
func Understand(id target.Identity, contents map[string][]byte) *target.Understood {
	return reading.Understand(id, contents)
}

func names(ports []*ir.Port) (out []string) {
	for _, p := range ports {
		out = append(out, p.Name)
	}
	return out
}

// Adaptive returns the interfaces that choose among equal paths by their load, in natural order, in any release's spelling. It returns
// none if adaptive routing is off for the whole switch.
func Adaptive(content []byte) []string {
	cfg, err := grammar.Read(content)
	if err != nil {
		return nil
	}
	on := func(t *grammar.Tree) bool {
		t = t.Get("router", "adaptive-routing")
		a, _ := grammar.On(t.Get("enable"))
		b, _ := grammar.On(t.Get("state"))
		return a || b
	}
	if !on(cfg.Set) {
		return nil
	}
	var out []string
	interfaces := cfg.Set.Get("interface")
	for _, i := range interfaces.Keys() {
		if on(interfaces.Get(i)) {
			out = append(out, i)
		}
	}
	return out
}
