package validate

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
	"github.com/rocec/rocec/compiler/routes"
)

// The check reports exactly the members that no link or no route joins.
func TestMembersWithoutAWay(t *testing.T) {
	tests := []struct {
		name string
		c    *irtest.Cabling
		want string // part of the warning; empty: none
	}{
		{"one island", irtest.LeafSpine(ir.ShortestPath, 3, 2), ""},
		{"two islands", irtest.New(ir.ShortestPath).Links("A-B C-D").Hosts("A", "B", "D"), "no links join D and A"},
		{"RFC 7938", irtest.Clos(ir.EBGP, 2, 2, 2, 2, 1), ""},
		{"a number for every switch", irtest.LeafSpine(ir.EBGP, 3, 2).UniqueASNs(), ""},
		{"leaves in one AS", irtest.LeafSpine(ir.EBGP, 3, 2).UniqueASNs().ASN("L", 65000), "no route leads from L0 to L1"},
		{
			"two leaves of 96 in one AS", irtest.LeafSpine(ir.EBGP, 96, 8).UniqueASNs().ASN("S", 65000).ASN("L95", 1).ASN("L31", 1),
			"no route leads from L31 to L95",
		},
		{
			"two leaves of 400 in one AS", irtest.LeafSpine(ir.EBGP, 400, 4).UniqueASNs().ASN("S", 65000).ASN("L399", 1).ASN("L398", 1),
			"no route leads from L398 to L399",
		},
		{"a tree in one AS", irtest.LeafSpine(ir.EBGP, 2, 1).ASN("", 65000), "no route leads from L0 to L1"},
		{"a tree without AS numbers", irtest.LeafSpine(ir.EBGP, 2, 1), ""},
		{"a bridge on a tree in one AS", bridgedTree(), "is not judged: routing \"ebgp\" describes routed traffic only"},
		{"bonds on leaves in one AS", bonds(twoSpines().ASN("", 65000), "A-B C-D"), "no route leads from A to C"},
		{"bonds on pairs of leaves in one AS", bonds(twoSpines().ASN("A", 1).ASN("B", 1).ASN("C", 2).ASN("D", 2).ASN("S", 3), "A-B C-D"), ""},
		{"bonds on two islands", bonds(irtest.New(ir.ShortestPath).Links("A-B C-D"), "A-B C-D"), "no links join C and A"},
		{"bonds that join two islands", bonds(irtest.New(ir.ShortestPath).Links("A-B C-D"), "A-C B-D"), ""},
		{"all in one AS", irtest.LeafSpine(ir.EBGP, 3, 2).ASN("", 65000), "no route leads from L0 to L1"},
		{
			"hosts on spines of one AS", irtest.LeafSpine(ir.EBGP, 3, 2).UniqueASNs().ASN("S", 65000).Hosts("S0", "S1"),
			"no route leads from S0 to S1",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := tt.c.Fabric()
			f.Routes = routes.New(f)
			var got []string
			for _, d := range Run(f, nil).Diagnostics {
				if d.Code == "roce-members" {
					got = append(got, d.Detail)
				}
			}
			if tt.want == "" {
				assert.Empty(t, got)
				return
			}
			if assert.Len(t, got, 1) {
				assert.Contains(t, got[0], tt.want)
			}
		})
	}
}

// twoSpines returns four leaves and two spines.
func twoSpines() *irtest.Cabling {
	return irtest.New(ir.EBGP).Links("A-S1 A-S2 B-S1 B-S2 C-S1 C-S2 D-S1 D-S2")
}

// bridgedTree returns a tree of one AS with a bridged link.
func bridgedTree() *irtest.Cabling {
	c := irtest.LeafSpine(ir.EBGP, 2, 1).ASN("", 65000)
	c.Between("L0", "S0").Routed = false
	return c
}

// bonds attaches a host with a bond to each pair of switches: "A-B C-D".
func bonds(c *irtest.Cabling, pairs string) *irtest.Cabling {
	for pair := range strings.FieldsSeq(pairs) {
		a, b, _ := strings.Cut(pair, "-")
		c.Link("h"+pair, a)
		c.Link("h"+pair, b)
		h := c.Device("h" + pair).Host
		h.Bonds = []*ir.Bond{{Mode: "802.3ad", NICs: h.NICs}}
		for _, n := range h.NICs {
			n.Bond = h.Bonds[0]
		}
	}
	return c
}

// A search that ends early is reported, with the flag that gives it more work.
func TestMembersAreNotJudgedInSilence(t *testing.T) {
	f := irtest.LeafSpine(ir.EBGP, 30, 4).UniqueASNs().ASN("S", 65000).Fabric()
	f.Routes = routes.New(f)
	of := func(steps int64) (out []string) {
		for _, d := range Run(f, ir.NewBudget(steps)).Diagnostics {
			if d.Code == "roce-members" {
				out = append(out, d.Detail)
			}
		}
		return out
	}
	assert.Empty(t, of(1_000_000))
	assert.Equal(t, []string{
		"Whether routes join all members of roce \"all\" is not judged: the search for routes ended after 25 steps; --budget 1s gives it more.",
	}, of(100))
}
