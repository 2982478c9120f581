package view

import (
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

// GIDsHost is the tables of a host.
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
	GID      *GIDRow      `json:"gid,omitempty"` // nil: no row fits
	Reason   string       `json:"reason,omitempty"`
	Settings *GIDSettings `json:"settings,omitempty"`
}

// GIDSettings makes programs use a row.
type GIDSettings struct {
	Environment []string `json:"environment"` // "NCCL_IB_GID_INDEX=3"
	Perftest    string   `json:"perftest"`    // the options of its programs
}

// GIDsJSON returns the document of hosts that were asked for their tables. plan, have and tables are of the same hosts. A table is nil
// where the host gave no answer.
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

// hostGIDs returns the answer of one host; t is nil where the host gave none.
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
				use.GID = gidRow(n, &g)
				nth := strconv.Itoa(g.Index)
				use.Settings = &GIDSettings{
					Environment: []string{"NCCL_IB_GID_INDEX=" + nth, "UCX_IB_GID_INDEX=" + nth},
					Perftest:    fmt.Sprintf("-d %s -i %d -x %s", nic.Quote(use.GID.Dev), g.Port, nth),
				}
				use.Settings.mark(n.Packet(in), in.ByDSCP())
			}
			h.Use = append(h.Use, use)
		}
	}
	return h
}

// mark adds the settings that mark the packets of connections that are made without RDMA-CM, by DSCP or by PCP.
func (s *GIDSettings) mark(p ir.Packet, byDSCP bool) {
	if byDSCP {
		tos := p.DSCP << 2 // the upper six bits
		s.Environment = append(s.Environment, fmt.Sprintf("NCCL_IB_TC=%d", tos), fmt.Sprintf("UCX_IB_TRAFFIC_CLASS=%d", tos))
		s.Perftest += fmt.Sprintf(" --tclass=%d", tos)
		return
	}
	s.Environment = append(s.Environment, fmt.Sprintf("NCCL_IB_SL=%d", p.PCP), fmt.Sprintf("UCX_IB_SL=%d", p.PCP))
	s.Perftest += fmt.Sprintf(" --sl=%d", p.PCP)
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
		seen := map[GIDRow]bool{} // the ports of a bond have theirs in common
		for _, g := range h.GIDs {
			g.NIC = ""
			if !seen[g] {
				fmt.Fprintf(w, "  %s\t%d\t%d\t%s\t%s\t%s\t%s\n", g.Dev, g.Port, g.Index, g.GID, g.IPv4, g.Type, g.Netdev)
			}
			seen[g] = true
		}
		w.Flush() //nolint:errcheck // a closed terminal has nobody to tell
		index := map[string]int{}
		differ := map[string]bool{}
		for _, u := range h.Use {
			if u.GID == nil {
				fmt.Fprintf(s.Raw, "  %s on %s: %s\n", u.Intent, u.NIC, s.Paint(diag.Red, u.Reason))
				continue
			}
			fmt.Fprintf(s.Raw, "  %s on %s: index %d\n    %s\n    ib_write_bw %s\n", u.Intent, u.NIC, u.GID.Index,
				strings.Join(u.Settings.Environment, " "), u.Settings.Perftest)
			if first, ok := index[u.Intent]; ok && first != u.GID.Index {
				differ[u.Intent] = true
			}
			index[u.Intent] = u.GID.Index
		}
		for _, u := range h.Use {
			if differ[u.Intent] {
				delete(differ, u.Intent)
				fmt.Fprintf(s.Raw, "  The NICs of %s need different indices, and NCCL and UCX take one for all NICs of a "+
					"process: give every interface as many addresses of each kind.\n", u.Intent)
			}
		}
	}
}
