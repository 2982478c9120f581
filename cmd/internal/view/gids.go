package view

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/nic"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/validate/claims"
)

// The statuses of a host on which an intent has no GID, or another slot than at the last verify --gids.
const (
	gidsMissing = "missing"
	gidsMoved   = "moved"
)

// GIDsDocument is the JSON of verify --gids.
type GIDsDocument struct {
	FormatVersion string     `json:"format_version"`
	Good          bool       `json:"good"`
	Hosts         []GIDsHost `json:"hosts"`
	ByHand        ByHand     `json:"by_hand"` // devices that are not read
}

// GIDsHost contains the tables of a host.
type GIDsHost struct {
	Name   string   `json:"name"`
	Status string   `json:"status"`
	Reason string   `json:"reason,omitempty"`
	GIDs   []GIDRow `json:"gids"`
	Use    []GIDUse `json:"use"`
}

// GIDRow is a row of a table.
type GIDRow struct {
	NIC    string `json:"nic"`
	Dev    string `json:"dev"`
	Port   int    `json:"port"`
	Index  int    `json:"index"`
	GID    string `json:"gid"`
	IPv4   string `json:"ipv4,omitempty"`
	Type   string `json:"type"`
	Netdev string `json:"netdev,omitempty"`
}

// GIDUse is the row that an intent needs on a NIC.
type GIDUse struct {
	Intent   string       `json:"intent"`
	NIC      string       `json:"nic"`
	GID      *GIDRow      `json:"gid,omitempty"`    // nil: no row fits
	Why      string       `json:"why,omitempty"`    // its index among the addresses of the NIC
	Others   []GIDRow     `json:"others,omitempty"` // rows of further addresses that also fit
	Reason   string       `json:"reason,omitempty"`
	Settings *GIDSettings `json:"settings,omitempty"`
	Was      *GIDWas      `json:"was,omitempty"` // the slot of the last verify --gids; nil: it is the same, or not known
}

// GIDWas is the slot that an intent used at an earlier time, and the effects of the change.
type GIDWas struct {
	When  string   `json:"at"`
	Dev   string   `json:"dev"`
	Port  int      `json:"port"`
	Index int      `json:"index"`
	GID   string   `json:"gid"`
	Moved []string `json:"moved"` // sentences
}

// GIDSettings contains the settings with which programs use a row.
type GIDSettings struct {
	Environment []string `json:"environment"`          // "NCCL_IB_GID_INDEX=3"
	ByAddress   []string `json:"by_address,omitempty"` // of NCCL, instead of the index; nil: they would select another row
	Perftest    string   `json:"perftest"`             // the options of its programs
	Pod         []string `json:"pod,omitempty"`        // fields of the network of a pod, for its virtual function
}

// GIDsRead contains hosts that were asked for their GID tables. Its lists are about the same hosts.
type GIDsRead struct {
	Plan   *deploy.Plan
	Have   []*deploy.Have
	Tables []*nic.GIDTable // nil: the host gave no answer
	When   time.Time
	Kept   []nic.KeptGID // the slots of the last verify --gids
}

// GIDsJSON returns the document of hosts, and the slots that the next verify --gids compares with.
func GIDsJSON(f *ir.Fabric, r *GIDsRead) (GIDsDocument, []nic.KeptGID) {
	doc := GIDsDocument{FormatVersion: report.FormatVersion, Good: true, Hosts: []GIDsHost{}, ByHand: ByHandJSON(f)}
	last := map[string]map[string]*nic.KeptGID{} // by host, NIC and intent
	for i := range r.Kept {
		k := &r.Kept[i]
		if last[k.Host] == nil {
			last[k.Host] = map[string]*nic.KeptGID{}
		}
		last[k.Host][k.NIC+" "+k.Intent] = k
	}
	var keep []nic.KeptGID
	for i, d := range r.Plan.Devices {
		h := hostGIDs(d, r.Have[i], r.Tables[i], r.When, last[d.Device.Name], &keep)
		doc.Good = doc.Good && h.Status == VerifyGood
		doc.Hosts = append(doc.Hosts, h)
	}
	return doc, keep
}

// Unread reports whether a host could not be read.
func (d *GIDsDocument) Unread() bool {
	return slices.ContainsFunc(d.Hosts, func(h GIDsHost) bool {
		return h.Status != VerifyGood && h.Status != gidsMissing && h.Status != gidsMoved
	})
}

// hostGIDs returns the answer of one host; t is nil if the host gave none. last has the slots of the last verify --gids, by NIC and intent.
// hostGIDs appends the present slots to keep.
func hostGIDs(
	d *deploy.DevicePlan, have *deploy.Have, t *nic.GIDTable, when time.Time, last map[string]*nic.KeptGID, keep *[]nic.KeptGID,
) GIDsHost {
	h := GIDsHost{Name: d.Device.Name, Status: VerifyGood, GIDs: []GIDRow{}, Use: []GIDUse{}}
	switch {
	case d.Err == nil && have.Err != nil: // a host without files of rocec is pending in a plan
		h.Status, h.Reason = string(deploy.StatusUnreachable), have.Err.Detail
		return h
	case d.Err != nil:
		h.Status, h.Reason = string(d.Status), d.Err.Detail
		return h
	case t == nil:
		h.Status = string(deploy.StatusRefused)
		for _, p := range have.Probes {
			for _, w := range p.Wrong {
				h.Reason = w
			}
		}
		return h
	}
	missing, moved := false, false
	for _, n := range d.Device.Source.Host.NICs {
		for _, g := range t.Of(n) {
			h.GIDs = append(h.GIDs, *gidRow(n, &g))
		}
		for _, in := range n.Carries() {
			g, wrong := t.Choose(n, in)
			chosen := &g
			if wrong != "" {
				chosen, missing = nil, true
			} else {
				*keep = append(*keep, nic.KeepGID(n, in, &g, when))
			}
			use := gidUse(t, n, in, chosen)
			use.Reason = target.Escape(wrong)
			if k := last[n.Name+" "+in.Name]; k != nil {
				use.Was = gidWas(k, t.Moved(n, in, k, chosen, claims.Clock))
			}
			moved = moved || use.Was != nil
			h.Use = append(h.Use, use)
		}
	}
	switch {
	case missing:
		h.Status = gidsMissing
	case moved:
		h.Status = gidsMoved
	}
	return h
}

// gidUse returns the row of an intent on a NIC, with its settings; without a row if g is nil.
func gidUse(t *nic.GIDTable, n *ir.NIC, in *ir.Intent, g *nic.GID) GIDUse {
	use := GIDUse{Intent: in.Name, NIC: n.Name}
	if g == nil {
		return use
	}
	use.GID, use.Why = gidRow(n, g), g.Why(n)
	for _, o := range t.Others(n, in, g) {
		use.Others = append(use.Others, *gidRow(n, &o))
	}
	nth := strconv.Itoa(g.Index)
	use.Settings = &GIDSettings{
		ByAddress: t.ByAddress(n, in, g),
		Perftest:  fmt.Sprintf("-d %s -i %d -x %s", nic.Quote(use.GID.Dev), g.Port, nth),
		Pod:       nic.PodNetwork(n.Packet(in), in),
	}
	for _, name := range nic.GIDVariables {
		use.Settings.Environment = append(use.Settings.Environment, name+"="+nth)
	}
	use.Settings.mark(n.Packet(in), in.ByDSCP())
	return use
}

// gidWas returns the earlier slot of an intent; nil: it did not move.
func gidWas(k *nic.KeptGID, moved []string) *GIDWas {
	if len(moved) == 0 {
		return nil
	}
	w := &GIDWas{
		When: k.When.UTC().Format(time.RFC3339), Dev: target.Escape(k.Dev), Port: k.Port, Index: k.Index, GID: target.Escape(k.Addr.String()),
	}
	for _, text := range moved {
		w.Moved = append(w.Moved, target.Escape(text))
	}
	return w
}

// mark adds the settings that mark packets by DSCP or PCP, for connections without RDMA-CM.
func (s *GIDSettings) mark(p ir.Packet, byDSCP bool) {
	s.Environment = append(s.Environment, nic.Marks(p, byDSCP)...)
	if byDSCP {
		s.Perftest += fmt.Sprintf(" --tclass=%d", p.DSCP<<2) // the upper six bits
	} else {
		s.Perftest += fmt.Sprintf(" --sl=%d", p.PCP)
	}
}

// printVariables prints variables in lines that a page holds.
func printVariables(w io.Writer, all []string) {
	const most = 100 // columns
	line := "   "
	for _, v := range all {
		if len(line)+len(v) > most {
			fmt.Fprintln(w, line)
			line = "   "
		}
		line += " " + v
	}
	fmt.Fprintln(w, line)
}

// besideText names the address of a row, and the rows of further addresses that fit, if there are any.
func besideText(u *GIDUse) string {
	if len(u.Others) == 0 {
		return ""
	}
	address := func(r *GIDRow) string { return cmp.Or(r.IPv4, r.GID) }
	others := make([]string, len(u.Others))
	for i := range u.Others {
		others[i] = fmt.Sprintf("%d (%s)", u.Others[i].Index, address(&u.Others[i]))
	}
	return fmt.Sprintf(" (%s, %s); %s %s", address(u.GID), u.Why, strings.Join(others, ", "),
		diag.Plural(len(others), "fits, too", "fit, too"))
}

func gidRow(n *ir.NIC, g *nic.GID) *GIDRow {
	return &GIDRow{
		n.Name, target.Escape(g.Dev), g.Port, g.Index, g.Addr.String(), g.IPv4(), target.Escape(g.Type), target.Escape(g.Netdev),
	}
}

// GIDs prints tables, and the row of each intent with its settings.
func (s *Screen) GIDs(doc GIDsDocument) {
	for _, h := range doc.Hosts {
		fmt.Fprintln(s.Raw, s.Paint(diag.Bold, h.Name))
		if h.Reason != "" {
			fmt.Fprintf(s.Raw, "  %s: %s\n", h.Status, h.Reason)
			continue
		}
		w := tabwriter.NewWriter(s.Raw, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "  DEV\tPORT\tINDEX\tGID\tIPV4\tTYPE\tNETDEV")
		seen := map[GIDRow]bool{} // the ports of a bond share their table
		for _, g := range h.GIDs {
			g.NIC = ""
			if !seen[g] {
				fmt.Fprintf(w, "  %s\t%d\t%d\t%s\t%s\t%s\t%s\n", g.Dev, g.Port, g.Index, g.GID, g.IPv4, g.Type, g.Netdev)
			}
			seen[g] = true
		}
		w.Flush() //nolint:errcheck // a closed terminal shows no error
		index := map[string]int{}
		differ := map[string]bool{}
		for _, u := range h.Use {
			if u.Was != nil {
				for _, text := range u.Was.Moved {
					fmt.Fprintf(s.Raw, "  %s\n", s.Paint(diag.Yellow, text))
				}
			}
			if u.GID == nil {
				fmt.Fprintf(s.Raw, "  %s on %s: %s\n", u.Intent, u.NIC, s.Paint(diag.Red, u.Reason))
				continue
			}
			fmt.Fprintf(s.Raw, "  %s on %s: index %d%s\n", u.Intent, u.NIC, u.GID.Index, besideText(&u))
			printVariables(s.Raw, u.Settings.Environment)
			if len(u.Settings.ByAddress) > 0 {
				fmt.Fprintf(s.Raw, "    instead of the index of NCCL: %s\n", strings.Join(u.Settings.ByAddress, " "))
			}
			fmt.Fprintf(s.Raw, "    ib_write_bw %s\n", u.Settings.Perftest)
			if len(u.Settings.Pod) > 0 {
				fmt.Fprintf(s.Raw, "    network of a pod (SR-IOV CNI): %s\n", strings.Join(u.Settings.Pod, ", "))
			}
			if first, ok := index[u.Intent]; ok && first != u.GID.Index {
				differ[u.Intent] = true
			}
			index[u.Intent] = u.GID.Index
		}
		for _, u := range h.Use {
			if differ[u.Intent] {
				delete(differ, u.Intent)
				fmt.Fprintf(s.Raw, "  The NICs of %s need different indices, but NCCL and UCX use one for all NICs of a "+
					"process: give every interface as many addresses of each kind, or let NCCL choose by address.\n", u.Intent)
			}
		}
	}
}
