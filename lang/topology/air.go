package topology

import (
	"encoding/json"
	"errors"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/rocec/rocec/lang/diag"
)

// readAir reads a topology of NVIDIA Air: the JSON that Air imports and exports.
//
//	{"nodes": {"leaf01": {"os": "cumulus-vx-5.11.0"}, …},
//	 "links": [[{"interface": "swp1", "node": "leaf01"}, {"interface": "eth1", "node": "gpu01"}], …]}
//
// Both may be inside of "content", beside a "title". An end that is a word, such as "exit", is not a device.
func readAir(r *reader) {
	if len(r.text) > maxYAML {
		r.fail(&TooLarge, 0, 0, "The file has %s bytes, and at most %s of a topology of NVIDIA Air are read. Give the cables as CSV.",
			diag.Number(len(r.text)), diag.Number(maxYAML))
		return
	}
	var raw json.RawMessage
	if err := json.Unmarshal([]byte(r.text[r.begin:]), &raw); err != nil {
		at := len(r.text)
		if slip, ok := errors.AsType[*json.SyntaxError](err); ok {
			at = r.begin + int(slip.Offset)
		}
		r.fail(&Syntax, max(at-1, 0), at, "This is not JSON: %s. Export the topology again, or give its dot file as ptm.",
			diag.Cut(err.Error()))
		return
	}
	// JSON is also YAML, whose parser reports places. Tabs are replaced by spaces; strings of JSON cannot contain tabs.
	l := &lab{reader: r, lines: yamlLines(r.text, r.begin)}
	plain := r.text
	r.text = strings.ReplaceAll(r.text, "\t", " ")
	root, ok := l.parse()
	if r.text = plain; !ok {
		return
	}
	r.fabric = l.scalar(root, "title")
	if content := l.child(root, "content"); content != nil {
		root = content
	}
	if nodes := l.child(root, "nodes"); nodes != nil {
		for i := 0; i+1 < len(nodes.Content); i += 2 {
			n := resolve(nodes.Content[i+1])
			l.node(nodes.Content[i].Value, Node{Function: l.scalar(n, "function"), System: l.scalar(n, "os")})
		}
	}
	links, _ := l.get(root, "links")
	if links == nil || links.Kind != yaml.SequenceNode {
		r.fail(&Syntax, 0, 0, "This is not a topology of NVIDIA Air: it has no list \"links\".")
		return
	}
	r.grow(len(links.Content))
	for _, link := range links.Content {
		if airLink(l, resolve(link)); r.failed {
			return
		}
	}
}

// airLink reads one link: a list of two ends.
func airLink(l *lab, link *yaml.Node) {
	if link.Kind != yaml.SequenceNode || len(link.Content) != 2 {
		l.wrong(link, "A link is a list of two ends, such as [{\"interface\": \"swp1\", \"node\": \"leaf01\"}, {\"interface\": "+
			"\"eth1\", \"node\": "+
			"\"gpu01\"}].")
		return
	}
	a, b := resolve(link.Content[0]), resolve(link.Content[1])
	for _, end := range []*yaml.Node{a, b} {
		if end.Kind == yaml.ScalarNode {
			l.other(strings.ToLower(end.Value))
			return
		}
	}
	p, ok := l.endpoint(a)
	if !ok {
		return
	}
	if q, ok := l.endpoint(b); ok {
		l.add(p, q, nil, over(p.At, q.At))
	}
}
