package change

import (
	"github.com/rocec/rocec/compiler/ir"
)

// taken is a set of devices that are away together, with the hosts, MLAG pairs and capacity that they take away.
type taken struct {
	*Living
	rules Rules
	mlag  map[string]bool
	hosts map[*ir.Device]bool // attached to one of them
	dark  int                 // hosts that the devices leave dark
	lost  map[tierOf]int      // Mb/s that a device loses towards a tier
}

type tierOf struct {
	device *ir.Device
	height int
}

func newTaken(l *Living, r Rules) *taken {
	return &taken{Living: l, rules: r, mlag: map[string]bool{}, hosts: map[*ir.Device]bool{}, lost: map[tierOf]int{}}
}

// fits reports whether a device can be away too, judged by its neighbours alone. The judgement of the whole batch decides.
func (t *taken) fits(d *ir.Device) bool {
	dark := t.Living.dark[d.ID]
	if dark > 0 && t.dark > 0 && t.dark+dark > t.rules.MaxDark || d.Switch != nil && d.Switch.MLAG != "" && t.mlag[d.Switch.MLAG] {
		return false
	}
	for _, h := range t.Living.hosts[d.ID] {
		if t.hosts[h] {
			return false
		}
	}
	height := d.Height()
	fits := true
	t.below(d, func(n *ir.Device, mbps int) {
		all, up := t.upwards(n, height)
		fits = fits && 100*(up-t.lost[tierOf{n, height}]-mbps) >= t.rules.MinCapacity*all
	})
	return fits
}

// add takes a device away.
func (t *taken) add(d *ir.Device) {
	if d.Switch != nil && d.Switch.MLAG != "" {
		t.mlag[d.Switch.MLAG] = true
	}
	for _, h := range t.Living.hosts[d.ID] {
		t.hosts[h] = true
	}
	t.dark += t.Living.dark[d.ID]
	t.below(d, func(n *ir.Device, mbps int) { t.lost[tierOf{n, d.Height()}] += mbps })
}

// below calls each once for every link that is up to a lower forwarding device.
func (t *taken) below(d *ir.Device, each func(n *ir.Device, mbps int)) {
	for _, p := range d.Ports {
		if n := p.Peer().Device(); n.Forwards() && n.Height() < d.Height() && !t.down[p.Link().ID] {
			each(n, max(p.Link().Speed.N, 1))
		}
	}
}

// upwards returns the capacity from a device to a tier in Mb/s: as described, and of the links that are up.
func (t *taken) upwards(d *ir.Device, height int) (described, up int) {
	for _, p := range d.Ports {
		if p.Peer().Device().Height() != height || !p.Peer().Device().Forwards() {
			continue
		}
		if !t.laid[p.Link().ID] {
			continue
		}
		mbps := max(p.Link().Speed.N, 1)
		described += mbps
		if !t.down[p.Link().ID] {
			up += mbps
		}
	}
	return described, up
}
