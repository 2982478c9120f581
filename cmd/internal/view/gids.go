package view

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/nic"
	"github.com/rocec/rocec/targets/target"
)

// gidsMissing is the status of a host on which an intent has no GID.
const gidsMissing = "missing"

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
}

// GIDSettings contains the settings with which programs use a row.
type GIDSettings struct {
	Environment []string `json:"environment"`          // "NCCL_IB_GID_INDEX=3"
	ByAddress   []string `json:"by_address,omitempty"` // of NCCL, instead of the index; nil: they would select another row
	Perftest    string   `json:"perftest"`             // the options of its programs
}

// GIDsJSON returns the document of hosts that were asked for their tables. plan, have and tables are about the same hosts. A table is nil
// if the host gave no answer.
func GIDsJSON(f *ir.Fabric, plan *deploy.Plan, have []*deploy.Have, tables []*nic.GIDTable) GIDsDocument {
	doc := GIDsDocument{FormatVersion: report.FormatVersion, Good: true, Hosts: []GIDsHost{}, ByHand: ByHandJSON(f)}
	for i, d := range plan.Devices {
		h := hostGIDs(d, have[i], tables[i])
		doc.Good = doc.Good && h.Status == VerifyGood
		doc.Hosts = append(doc.Hosts, h)
	}
	return doc
}

// Unread reports whether a host could not be read.
func (d *GIDsDocument) Unread() bool {
	return slices.ContainsFunc(d.Hosts, func(h GIDsHost) bool { return h.Status != VerifyGood && h.Status != gidsMissing })
}

// hostGIDs returns the answer of one host; t is nil if the host gave none.
func hostGIDs(d *deploy.DevicePlan, have *deploy.Have, t *nic.GIDTable) GIDsHost {
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
	for _, n := range d.Device.Source.Host.NICs {
		for _, g := range t.Of(n) {
			h.GIDs = append(h.GIDs, *gidRow(n, &g))
		}
		for _, in := range n.Carries() {
			use := GIDUse{Intent: in.Name, NIC: n.Name}
			g, wrong := t.Choose(n, in)
			if wrong != "" {
				use.Reason, h.Status = target.Escape(wrong), gidsMissing
			} else {
				use.GID, use.Why = gidRow(n, &g), g.Why(n)
				for _, o := range t.Others(n, in, &g) {
					use.Others = append(use.Others, *gidRow(n, &o))
				}
				nth := strconv.Itoa(g.Index)
				use.Settings = &GIDSettings{
					Environment: []string{"NCCL_IB_GID_INDEX=" + nth, "UCX_IB_GID_INDEX=" + nth},
					ByAddress:   t.ByAddress(n, in, &g),
					Perftest:    fmt.Sprintf("-d %s -i %d -x %s", nic.Quote(use.GID.Dev), g.Port, nth),
				}
				use.Settings.mark(n.Packet(in), in.ByDSCP())
			}
			h.Use = append(h.Use, use)
		}
	}
	return h
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
			if u.GID == nil {
				fmt.Fprintf(s.Raw, "  %s on %s: %s\n", u.Intent, u.NIC, s.Paint(diag.Red, u.Reason))
				continue
			}
			fmt.Fprintf(s.Raw, "  %s on %s: index %d%s\n    %s\n", u.Intent, u.NIC, u.GID.Index, besideText(&u),
				strings.Join(u.Settings.Environment, " "))
			if len(u.Settings.ByAddress) > 0 {
				fmt.Fprintf(s.Raw, "    instead of the index of NCCL: %s\n", strings.Join(u.Settings.ByAddress, " "))
			}
			fmt.Fprintf(s.Raw, "    ib_write_bw %s\n", u.Settings.Perftest)
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
