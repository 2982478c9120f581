package deploy

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/target"
)

// TestUnread: a plan is refused exactly if a port begins to pause opposite a device that was not read and that no person vouches for.
func TestUnread(t *testing.T) {
	on, off := ir.PortSettings{PausesKnown: true, Sends: 16, Obeys: 16}, ir.PortSettings{PausesKnown: true}
	paused := ir.PortSettings{PausesKnown: true, Sends: 255, Obeys: 255, LinkPause: true}
	for _, c := range []struct {
		name      string
		old, next *ir.PortSettings
		hand      *ir.ByHand
		lost      bool // the opposite device could not be read
		without   bool // the person goes on without the device
		want      string
	}{
		{name: "begins, the other is read", old: &off, next: &on},
		{name: "begins, the other is set by hand", old: &off, next: &on, hand: &ir.ByHand{}, want: "others set by hand"},
		{name: "and a person vouches for it", old: &off, next: &on, hand: &ir.ByHand{Confirmed: "ticket 1"}},
		{name: "is on already", old: &on, next: &on, hand: &ir.ByHand{}},
		{name: "ends", old: &on, next: &off, hand: &ir.ByHand{}},
		{name: "another kind of pause", old: &paused, next: &on, hand: &ir.ByHand{}, want: "others set by hand"},
		{name: "begins, the other does not answer", old: &off, next: &on, lost: true, want: "could not be read"},
		{name: "and the person goes on without it", old: &off, next: &on, lost: true, without: true},
		{name: "not known before", next: &on, hand: &ir.ByHand{}, want: "others set by hand"},
	} {
		f := &ir.Fabric{}
		leaf := &ir.Device{DevicePlaces: &ir.DevicePlaces{}, Name: "leaf1", Switch: &ir.Switch{}, Fabric: f}
		host := &ir.Device{DevicePlaces: &ir.DevicePlaces{}, Name: "h1", Host: &ir.Host{}, ByHand: c.hand, Fabric: f}
		a := ir.NewPort(leaf, ir.PortSpec{Name: "swp1"})
		ir.NewLink(a, ir.NewPort(host, ir.PortSpec{Name: "e0"}), ir.Link{})
		leaf.Ports = []*ir.Port{a}
		settings := func(p *ir.PortSettings) *ir.Settings {
			if p == nil {
				return nil
			}
			return &ir.Settings{Rest: p}
		}
		p := &Plan{Devices: []*DevicePlan{
			{Device: &target.Device{Name: "leaf1", Source: leaf}, Status: StatusChange, Old: settings(c.old), New: settings(c.next)},
		}}
		if c.lost {
			p.Beside = append(p.Beside, &DevicePlan{
				Device: &target.Device{Name: "h1", Source: host}, Status: StatusUnreachable, Err: &Error{Kind: Unreachable},
			})
		}
		ds := p.Unread(map[*ir.Device]bool{host: c.without})
		if c.want == "" {
			assert.Empty(t, ds, c.name)
			continue
		}
		if assert.Len(t, ds, 1, c.name) {
			assert.Contains(t, ds[0].Detail, "leaf1:swp1, opposite h1, which "+c.want, c.name)
		}
	}
}
