package topology

import (
	"cmp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// nodes reads the attributes of a topology's nodes: kind, group, type, the tag of the image and common labels for roles. Each is from
// the node, its group, its kind or the defaults. It ignores values in a form that containerlab does not document, because the
// attributes only help to guess.
func (l *lab) nodes(topology *yaml.Node) {
	nodes, _ := l.get(topology, "nodes")
	defaults, _ := l.get(topology, "defaults")
	groups, _ := l.get(topology, "groups")
	if nodes == nil || nodes.Kind != yaml.MappingNode {
		return
	}
	kinds, _ := l.get(topology, "kinds")
	common := l.nodeOf(defaults)
	for i := 0; i+1 < len(nodes.Content) && !l.failed; i += 2 {
		n := l.nodeOf(resolve(nodes.Content[i+1]))
		of := l.nodeOf(l.child(groups, n.Function))
		n.System = cmp.Or(n.System, of.System, common.System)
		kind := l.nodeOf(l.child(kinds, n.System))
		n.Model = cmp.Or(n.Model, of.Model, kind.Model, common.Model)
		n.Version = cmp.Or(n.Version, of.Version, kind.Version, common.Version)
		l.node(resolve(nodes.Content[i]).Value, n)
	}
}

// tag returns the tag of an image: "5.3.0" for "networkop/cx:5.3.0"; empty: the image has no tag with a release.
func tag(image string) string {
	image, _, _ = strings.Cut(image, "@") // a digest
	i := strings.LastIndexByte(image, ':')
	if i < 0 || strings.Contains(image[i:], "/") || image[i+1:] == "latest" { // the colon is before the port of a registry
		return ""
	}
	return image[i+1:]
}

// nodeOf reads the attributes of nodes in a mapping. Function is the group, or a label with the function.
func (l *lab) nodeOf(n *yaml.Node) Node {
	if n == nil {
		return Node{}
	}
	said := Node{
		Function: l.scalar(n, "group"), System: l.scalar(n, "kind"), Model: l.scalar(n, "type"), Version: tag(l.scalar(n, "image")),
	}
	if said.Function == "" {
		labels := l.child(n, "labels")
		for _, key := range []string{"role", "graph-icon"} {
			said.Function = cmp.Or(said.Function, l.scalar(labels, key))
		}
	}
	return said
}

// child returns the mapping below a key, or nil.
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

// scalar returns the text below a key, or "".
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
