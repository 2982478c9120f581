package validate

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
	"github.com/rocec/rocec/compiler/routes"
)

// Members that no link or no route joins are told, and only they.
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
