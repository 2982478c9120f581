package targets

import (
	"path"
	"slices"
	"time"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/forwarding"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/lint"
)

// ForwardingAsks returns the questions whose answers, as files, show the forwarding of a device to [ReadForwarding].
func ForwardingAsks(d *ir.Device) []target.Question {
	if d.Switch == nil {
		return []target.Question{askAddresses}
	}
	return append(slices.Clone(asksRoutes), askAddresses)
}

// ReadForwarding reads the forwarding of a device from its files: BGP and the tables of next hops. when returns the time of a file; zero:
// not known. Next hops are known if they leave by cabled ports.
func ReadForwarding(d *ir.Device, files []lint.File, when func(name string) time.Time) *ir.Forwarding {
	out := &ir.Forwarding{Device: d, Unread: map[ir.ForwardingPart]string{}}
	saw := func(name string) {
		if at := when(name); out.When.IsZero() || at.Before(out.When) {
			out.When = at
		}
	}
	for _, f := range files {
		switch {
		case f.Why != "":
		case isFRR(f) && len(f.Data) <= mostFRR:
			b := frrOf(f.Data)
			if b == nil {
				continue
			}
			saw(f.Name)
			out.BGP = &ir.ForwardingBGP{AS: b.AS}
			out.Unread[ir.PartBGP] = "only its configuration shows its AS number and its neighbours"
			for port, as := range b.Sessions {
				out.BGP.Peers = append(out.BGP.Peers, ir.ForwardingPeer{Port: port, AS: as})
			}
			slices.SortFunc(out.BGP.Peers, func(a, b ir.ForwardingPeer) int { return len(a.Port) - len(b.Port) })
		case IsRouting(path.Base(f.Name)):
			if answer, err := forwarding.Read(f.Name, f.Data); err == nil {
				saw(f.Name)
				for family, routes := range answer.Routes {
					if routes == nil {
						continue
					}
					table := ir.ForwardingTable{Six: family == forwarding.IPv6, Routes: []ir.ForwardingRoute{}}
					for _, r := range routes.List {
						table.Routes = append(table.Routes, ir.ForwardingRoute{To: r.To, Connected: r.Connected, Out: r.Out, Odd: r.Odd})
					}
					out.Tables = append(out.Tables, table)
				}
			}
		}
	}
	return out
}
