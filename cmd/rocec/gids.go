package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/nic"
	"github.com/rocec/rocec/targets/target"
)

func (a *app) gidsCommand() *cobra.Command {
	var o gidsOptions
	cmd := &cobra.Command{
		Use:   "gids [HOST…]",
		Short: "print the GID tables of hosts, and the index each intent must use",
		Long: "Gids reads the GID tables of the hosts' RDMA devices (all hosts of the fabric, where none is named) and changes nothing. For\n" +
			"every intent of a NIC it says which index connections must be made with: the one of the intent's version, on the interface\n" +
			"of its VLAN, with the address that the fabric states. It prints the settings for NCCL, UCX and perftest. A link-local GID\n" +
			"never fits.",
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return a.completeDevices(a.here())
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := choice("format", o.format, "text", "json"); err != nil {
				return err
			}
			if err := o.readOptions.check(); err != nil {
				return err
			}
			return a.gids(cmd.Context(), args, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "text", "text or json")
	labFlags(cmd, &o.lab)
	o.readFlags(cmd)
	a.sudoFlag(cmd)
	a.targetFlag(cmd, &o.only)
	return cmd
}

type gidsOptions struct {
	readOptions
	format string
	lab    labFlag
	only   []string
}

// gidsMissing is the status of a host on which an intent has no GID.
const gidsMissing = "missing"

type gidsDocument struct {
	FormatVersion string      `json:"format_version"`
	Good          bool        `json:"good"`
	Hosts         []gidsHost  `json:"hosts"`
	ByHand        view.ByHand `json:"by_hand"` // devices that are not read
}

type gidsHost struct {
	Name   string    `json:"name"`
	Status string    `json:"status"`
	Reason string    `json:"reason,omitempty"`
	GIDs   []gidJSON `json:"gids"`
	Use    []gidUse  `json:"use"`
}

type gidJSON struct {
	NIC    string `json:"nic"`
	Dev    string `json:"dev"`
	Port   int    `json:"port"`
	Index  int    `json:"index"`
	GID    string `json:"gid"`
	IPv4   string `json:"ipv4,omitempty"`
	Type   string `json:"type"`
	Netdev string `json:"netdev,omitempty"`
}

// gidUse is what an intent needs on a NIC.
type gidUse struct {
	Intent   string       `json:"intent"`
	NIC      string       `json:"nic"`
	GID      *gidJSON     `json:"gid,omitempty"` // nil: there is none that fits
	Reason   string       `json:"reason,omitempty"`
	Settings *gidSettings `json:"settings,omitempty"`
}

type gidSettings struct {
	Environment []string `json:"environment"` // "NCCL_IB_GID_INDEX=3"
	Perftest    string   `json:"perftest"`    // the options of its programs
}

func (a *app) gids(ctx context.Context, names []string, o gidsOptions) (err error) {
	f, devices, err := a.open(a.here(), slices.Concat(o.only, names), o.lab)
	if err != nil {
		return err
	}
	defer devices.close(&err)
	ask := &target.Tree{}
	var answers []*nic.GIDTable // by device; nil: it did not answer
	for _, d := range devices.tree.Devices {
		if d.Role != target.Host {
			continue
		}
		at := len(answers)
		answers = append(answers, nil)
		asked := *d
		asked.Files = nil
		asked.Probes = []target.Probe{{Name: "GIDs", Query: nic.GIDQuery(d.Source.Host.NICs), Judge: func(answer []byte) []string {
			answers[at] = nic.ReadGIDs(answer)
			return nil
		}}}
		ask.Devices = append(ask.Devices, &asked)
	}
	if len(ask.Devices) == 0 {
		return exit.Fail(exit.Usage, "no host is left to read: switches have no GIDs")
	}
	read, end := a.reading()
	o.limit(&read)
	read.Probes = rollout.Every
	have := rollout.Observe(ctx, devices.dial, ask, read)
	end()
	if ctx.Err() != nil {
		return exit.Fail(exit.Interrupted, "interrupted")
	}
	doc := gidsDocument{FormatVersion: report.FormatVersion, Good: true, Hosts: []gidsHost{}, ByHand: view.ByHandJSON(f.Fabric)}
	unread := false
	for i, d := range deploy.Diff(ask, have).Devices {
		h := hostGIDs(d, have.Devices[i], answers[i])
		doc.Good = doc.Good && h.Status == view.VerifyGood
		unread = unread || h.Status != view.VerifyGood && h.Status != gidsMissing
		doc.Hosts = append(doc.Hosts, h)
	}
	if o.format == "json" {
		if err := a.writeJSON(doc); err != nil {
			return err
		}
	} else {
		a.gidsText(doc)
		if text := deploy.ByHand(f.Fabric); text != "" {
			fmt.Fprintf(a.stdout, "%s.\n", text)
		}
	}
	switch {
	case unread:
		return exit.With(exit.Machines)
	case !doc.Good:
		return exit.With(exit.Errors)
	}
	return nil
}

// hostGIDs is what one host answered; t is nil where it did not.
func hostGIDs(d *deploy.DevicePlan, have *deploy.Have, t *nic.GIDTable) gidsHost {
	h := gidsHost{Name: d.Device.Name, Status: view.VerifyGood, GIDs: []gidJSON{}, Use: []gidUse{}}
	switch {
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
			use := gidUse{Intent: in.Name, NIC: n.Name}
			g, wrong := t.Choose(n, in)
			if wrong != "" {
				use.Reason, h.Status = target.Escape(wrong), gidsMissing
			} else {
				use.GID = gidRow(n, &g)
				nth := strconv.Itoa(g.Index)
				use.Settings = &gidSettings{
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

// mark adds what marks the packets of connections that are made without RDMA-CM, by DSCP or by PCP.
func (s *gidSettings) mark(p ir.Packet, byDSCP bool) {
	if byDSCP {
		tos := p.DSCP << 2 // the upper six bits
		s.Environment = append(s.Environment, fmt.Sprintf("NCCL_IB_TC=%d", tos), fmt.Sprintf("UCX_IB_TRAFFIC_CLASS=%d", tos))
		s.Perftest += fmt.Sprintf(" --tclass=%d", tos)
		return
	}
	s.Environment = append(s.Environment, fmt.Sprintf("NCCL_IB_SL=%d", p.PCP), fmt.Sprintf("UCX_IB_SL=%d", p.PCP))
	s.Perftest += fmt.Sprintf(" --sl=%d", p.PCP)
}

func gidRow(n *ir.NIC, g *nic.GID) *gidJSON {
	return &gidJSON{
		n.Name, target.Escape(g.Dev), g.Port, g.Index, g.Addr.String(), g.IPv4(), target.Escape(g.Type), target.Escape(g.Netdev),
	}
}

func (a *app) gidsText(doc gidsDocument) {
	color := a.paints(a.stdout)
	for _, h := range doc.Hosts {
		fmt.Fprintln(a.stdout, diag.Paint(color, diag.Bold, h.Name))
		if h.Reason != "" {
			fmt.Fprintf(a.stdout, "  %s: %s\n", h.Status, h.Reason)
			continue
		}
		w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "  DEV\tPORT\tINDEX\tGID\tIPV4\tTYPE\tNETDEV")
		seen := map[gidJSON]bool{} // the ports of a bond have theirs in common
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
				fmt.Fprintf(a.stdout, "  %s on %s: %s\n", u.Intent, u.NIC, diag.Paint(color, diag.Red, u.Reason))
				continue
			}
			fmt.Fprintf(a.stdout, "  %s on %s: index %d\n    %s\n    ib_write_bw %s\n", u.Intent, u.NIC, u.GID.Index,
				strings.Join(u.Settings.Environment, " "), u.Settings.Perftest)
			if first, ok := index[u.Intent]; ok && first != u.GID.Index {
				differ[u.Intent] = true
			}
			index[u.Intent] = u.GID.Index
		}
		for _, u := range h.Use {
			if differ[u.Intent] {
				delete(differ, u.Intent)
				fmt.Fprintf(a.stdout, "  The NICs of %s need different indices, and NCCL and UCX take one for all NICs of a "+
					"process: give every interface as many addresses of each kind.\n", u.Intent)
			}
		}
	}
}
