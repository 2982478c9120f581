package compiler

import (
	"fmt"

	"github.com/hashicorp/hcl/v2"

	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
)

// author makes sources without a file: every place is on a separate line.
type author struct{ line int }

func (a *author) at() diag.Range {
	a.line++
	pos := hcl.Pos{Line: a.line, Column: 1, Byte: a.line * 100}
	end := pos
	end.Column, end.Byte = 11, end.Byte+10
	return diag.Range{Filename: "fabric.hcl", Start: pos, End: end}
}

func val[T any](a *author, v T) lang.Value[T] { return lang.Value[T]{V: v, At: a.at()} }

// clos returns a two-tier Clos with the given number of hosts on each leaf, every leaf cabled to every spine, and RoCEv2 with ECN.
func clos(leaves, spines, hostsPerLeaf int) *lang.Source {
	a := &author{}
	s := &lang.Source{
		Fabric: lang.Fabric{Name: "clos", Decl: a.at(), MTU: val(a, 9216), Routing: val(a, "up-down")},
		CosGroups: []*lang.CosGroup{
			{Name: "rdma", Decl: a.at(), Cos: val(a, 4), DSCP: []lang.Value[int]{val(a, 26)}, Lossless: val(a, true), ECN: &lang.ECN{Decl: a.at()}},
			{Name: "cnp", Decl: a.at(), Cos: val(a, 6), DSCP: []lang.Value[int]{val(a, 48)}, Strict: val(a, true)},
		},
		Roces: []*lang.Roce{{
			Name: "all", Decl: a.at(), Version: val(a, 2), CosGroup: val(a, "rdma"), CNP: val(a, "cnp"),
			Members: []lang.Member{{Group: "gpu", At: a.at()}},
		}},
		SSH: lang.SSH{Decl: a.at(), User: val(a, "cumulus")},
	}
	add := func(group, name string, i int, model lang.Value[string], decl diag.Range) {
		s.Switches = append(s.Switches, &lang.Switch{
			Name: name, NameAt: decl, Group: group, Index: i, Decl: decl, Model: model,
			OS: lang.Value[string]{V: "cumulus-linux", At: decl}, Version: lang.Value[string]{V: "4.3.0", At: decl},
		})
	}
	leaf, spine := a.at(), a.at()
	leafModel, spineModel := val(a, "sn4600c"), val(a, "big")
	s.SwitchModels = []*lang.SwitchModel{{Name: "big", Decl: a.at(), ASIC: val(a, "spectrum3"), Ports: val(a, 1000), Speed: val(a, 100_000)}}
	for i := range leaves {
		add("leaf", fmt.Sprintf("leaf%d", i+1), i, leafModel, leaf)
	}
	for i := range spines {
		add("spine", fmt.Sprintf("spine%d", i+1), i, spineModel, spine)
	}
	nics := []*lang.NIC{{Name: "ens1f0", Decl: a.at(), Model: val(a, "connectx-5"), MTU: val(a, 9000)}}
	down := &lang.LinkBlock{Kind: "link", Name: "hosts", Decl: a.at(), Speed: val(a, 25_000), Length: val(a, 3.0)}
	up := &lang.LinkBlock{Kind: "mesh", Name: "uplinks", Decl: a.at(), Length: val(a, 30.0)}
	host, ends := a.at(), a.at()
	for l := range leaves {
		for h := range hostsPerLeaf {
			i := l*hostsPerLeaf + h
			name := fmt.Sprintf("gpu%d", i+1)
			s.Hosts = append(s.Hosts, &lang.Host{Name: name, NameAt: host, Group: "gpu", Index: i, Decl: host, NICs: nics})
			s.Links = append(s.Links, &lang.Link{
				Block: down, A: lang.Endpoint{Device: name, Port: "ens1f0", At: &ends},
				B: lang.Endpoint{Device: s.Switches[l].Name, Port: fmt.Sprintf("swp%d", h+1), At: &ends},
			})
		}
		for p := range spines {
			s.Links = append(s.Links, &lang.Link{
				Block: up,
				A:     lang.Endpoint{Device: s.Switches[l].Name, Port: fmt.Sprintf("swp%d", hostsPerLeaf+p+1), At: &ends},
				B:     lang.Endpoint{Device: s.Switches[leaves+p].Name, Port: fmt.Sprintf("swp%d", l+1), At: &ends},
			})
		}
	}
	return s
}
