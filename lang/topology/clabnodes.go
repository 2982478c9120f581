package topology

import (
	"cmp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// nodes notes what a topology says of its nodes: kind, group, type and the labels people use for roles, each by the node, its
// group or the defaults. What is not of the form that containerlab documents is passed over: these words only help to guess.
func (l *lab) nodes(topology *yaml.Node) {
	nodes, _ := l.get(topology, "nodes")
	defaults, _ := l.get(topology, "defaults")
	groups, _ := l.get(topology, "groups")
	if nodes == nil || nodes.Kind != yaml.MappingNode {
		return
	}
	common := l.nodeOf(defaults)
	for i := 0; i+1 < len(nodes.Content) && !l.failed; i += 2 {
		n := l.nodeOf(resolve(nodes.Content[i+1]))
		inherited := common
		if g := l.child(groups, n.Function); g != nil {
			of := l.nodeOf(g)
			inherited = Node{System: cmp.Or(of.System, common.System), Model: cmp.Or(of.Model, common.Model)}
		}
		n.System, n.Model = cmp.Or(n.System, inherited.System), cmp.Or(n.Model, inherited.Model)
		l.node(resolve(nodes.Content[i]).Value, n)
	}
}

// nodeOf reads what a mapping says of nodes. Function is the group, or a label that tells it.
func (l *lab) nodeOf(n *yaml.Node) Node {
	said := Node{Function: l.scalar(n, "group"), System: l.scalar(n, "kind"), Model: l.scalar(n, "type")}
	if said.Function == "" {
		labels := l.child(n, "labels")
		for _, key := range []string{"role", "graph-icon"} {
			said.Function = cmp.Or(said.Function, l.scalar(labels, key))
		}
	}
	return said
}

// child is the mapping below a key; nil: there is none.
func (l *lab) child(n *yaml.Node, key string) *yaml.Node {
	if n == nil || key == "" || l.failed {
		return nil
	}
	v, _ := l.get(n, key)
	if v == nil || v.Kind != yaml.MappingNode {
		return nil
	}
	return v
}

// scalar is the text below a key; empty: there is none.
func (l *lab) scalar(n *yaml.Node, key string) string {
	if n == nil || l.failed {
		return ""
	}
	v, _ := l.get(n, key)
	if v == nil || v.Kind != yaml.ScalarNode || null(v) {
		return ""
	}
	return strings.TrimSpace(v.Value)
}
