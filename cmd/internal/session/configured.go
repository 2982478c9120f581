package session

import (
	"fmt"
	"time"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/validate/configured"
)

// Configured returns the settings that a verification at a time has read, for the assumptions of verdicts. It leaves out devices that gave
// no answer.
func Configured(v *rollout.Verification, when time.Time) (out []*configured.Setup) {
	for _, h := range v.Devices {
		d := h.Drift
		if d.Device.Source == nil || d.Status == deploy.StatusUnreachable {
			continue
		}
		c := &configured.Setup{Of: d.Device.Source, Settings: d.Old, Bonds: bondsOf(d.Seen), When: when}
		switch {
		case d.Old == nil && d.Err != nil:
			c.Why = fmt.Sprintf("rocec refuses the device (%s)", d.Err.Kind)
		case d.Old == nil:
			c.Why = "its settings are not known"
		}
		for _, one := range d.Changes {
			if one.Action == deploy.Activate {
				c.Settings, c.Why = nil, one.Path+" may not be in use yet"
			}
		}
		out = append(out, c)
	}
	return out
}

// bondsOf returns the bond of each cabled port; nil: they were not read. A bond without a partner forms no link.
func bondsOf(seen *target.Seen) map[string]string {
	if seen == nil || !seen.Read(target.PartPorts) || !seen.Read(target.PartBonds) {
		return nil
	}
	out := map[string]string{}
	for name, p := range seen.Ports {
		if b := seen.Bonds[p.Bond]; b != nil && b.Partner {
			out[name] = p.Bond
		} else {
			out[name] = ""
		}
	}
	return out
}
