package compiler

import (
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
)

// portNames makes the names of ports. A side of a block names thousands of ports by a few names: each is read and ranked once.
type portNames struct {
	all   []*ir.PortName
	sides [2]sideNames // of the previous block

	settled map[settledName]*ir.PortName // names that were resolved to another port, by the system's spelling
}

type settledName struct {
	written *ir.PortName
	name    string
	front   ir.Front
}

// sideNames are the names on one side of a link block. They recur for one device after another.
type sideNames struct {
	block *lang.LinkBlock
	list  []portName
	last  int
	index map[portKey]int // index of list; nil while list is short
}

// portKey contains all values that determine the port for a name.
type portKey struct {
	name  string
	at    diag.Range
	model *platform.Switch // nil: for a host, or unknown
	os    string
	hand  bool // the switch is set by hand
}

type portName struct {
	key  portKey
	name *ir.PortName
}

// keyOf returns the key of the end of a cable at a device.
func keyOf(d *ir.Device, e *lang.Endpoint) portKey {
	k := portKey{name: e.Port, at: *e.At}
	if s := d.Switch; s != nil {
		k.model, k.os, k.hand = s.Model, s.OS, d.ByHand != nil
	}
	return k
}

// few is the number of names up to which a linear search is faster than a map.
const few = 8

// find returns the name of a key; nil if the side has no such name yet.
func (s *sideNames) find(b *lang.LinkBlock, k *portKey) *ir.PortName {
	if s.block != b {
		s.block, s.list, s.last, s.index = b, s.list[:0], 0, nil
	}
	for range min(2, len(s.list)) { // the last one found, or the one after it
		if s.list[s.last].key == *k {
			return s.list[s.last].name
		}
		if s.last++; s.last == len(s.list) {
			s.last = 0
		}
	}
	if len(s.list) <= few {
		for i := range s.list {
			if s.list[i].key == *k {
				s.last = i
				return s.list[i].name
			}
		}
		return nil
	}
	if s.index == nil {
		s.index = map[portKey]int{}
		for i := range s.list {
			s.index[s.list[i].key] = i
		}
	}
	if i, ok := s.index[*k]; ok {
		s.last = i
		return s.list[i].name
	}
	return nil
}

// add adds a name that find did not find.
func (n *portNames) add(s *sideNames, k portKey, front ir.Front) *ir.PortName {
	name := n.make(ir.PortName{Name: k.name, Front: front, At: k.at})
	if s.index != nil {
		s.index[k] = len(s.list)
	}
	s.last = len(s.list)
	s.list = append(s.list, portName{k, name})
	return name
}

func (n *portNames) make(name ir.PortName) *ir.PortName {
	n.all = append(n.all, &name)
	return &name
}

// as returns the name of the port to which a written name was resolved.
func (n *portNames) as(written *ir.PortName, name string, f ir.Front) *ir.PortName {
	if written.Name == name && written.Front == f {
		return written
	}
	key := settledName{written, name, f}
	p := n.settled[key]
	if p == nil {
		p = n.make(ir.PortName{Name: name, Front: f, At: written.At})
		if n.settled == nil {
			n.settled = map[settledName]*ir.PortName{}
		}
		n.settled[key] = p
	}
	return p
}

// rank sets the position of every name in the natural order of names.
func (n *portNames) rank() {
	ranks := map[string]int32{}
	for _, p := range n.all {
		ranks[p.Name] = 0
	}
	order := make([]string, 0, len(ranks))
	for name := range ranks {
		order = append(order, name)
	}
	slices.SortFunc(order, nodeset.Compare)
	for i, name := range order {
		ranks[name] = int32(i)
	}
	for _, p := range n.all {
		p.Rank = ranks[p.Name]
	}
}
