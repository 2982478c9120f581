package outline

import (
	"iter"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/nodeset"
)

// naming is one item of a nodeset in a file: "leaf[01-04]:swp1", or the swp2 in "leaf1:swp1,swp2".
type naming struct {
	block     *outlineBlock
	declares  bool
	device    span // empty in a set of interfaces
	iface     span // empty if the item has no interface
	inherited bool // the device is in an earlier item
	whole     span
}

// mostNames bounds the names to which an outline expands one nodeset. A fabric may have larger nodesets, in which some places are not
// found.
const mostNames = 65536

// expanded ranges over the names of a nodeset. A nodeset with mistakes has none.
func expanded(s string, kind nodeset.Kind) iter.Seq[string] {
	return func(yield func(string) bool) {
		set, bad := nodeset.Parse(s, kind)
		if len(bad) > 0 || set.Len() > mostNames {
			return
		}
		for n := range set.All() {
			name := n.Device
			if kind == nodeset.Interfaces {
				name = n.Interface
			}
			if !yield(name) {
				return
			}
		}
	}
}

// nodesetKind returns the kind of the nodesets in an attribute; 0: its strings are not nodesets.
func nodesetKind(a lang.AttrDoc) nodeset.Kind {
	switch {
	case strings.HasSuffix(a.Type, "device nodeset"):
		return nodeset.Devices
	case strings.HasSuffix(a.Type, "endpoint nodeset"):
		return nodeset.Endpoints
	case strings.HasSuffix(a.Type, "interface nodeset"):
		return nodeset.Interfaces
	case strings.HasSuffix(a.Type, "members nodeset"):
		return nodeset.Members
	case strings.HasPrefix(a.Type, "name or reference to switch"):
		return nodeset.Devices
	}
	return 0
}

// declaresDevices reports whether a block makes devices.
func declaresDevices(n *outlineBlock) bool { return n.path == "switch" || n.path == "host" }

// namings returns every place of the file that names devices or interfaces in literal text.
func (o *File) namings() []naming {
	var out []naming
	o.root.walk(func(n *outlineBlock) {
		if declaresDevices(n) && n.find("names") == nil && len(n.labels) > 0 {
			out = append(out, o.items(n.labels[0], nodeset.Devices, n, true)...)
		}
		if (n.path == "host.nic" || n.path == "host.bond") && len(n.labels) > 0 {
			out = append(out, o.items(n.labels[0], nodeset.Interfaces, n, true)...)
		}
		for _, a := range n.attrs {
			doc, _ := blockDocs().attr(n.path, a.text)
			kind := nodesetKind(doc)
			if kind == 0 {
				continue
			}
			for i := a.first; i < a.last; i++ {
				if o.tokens[i].Type == hclsyntax.TokenOQuote {
					out = append(out, o.itemsAt(i, kind, n, a.text == "names" && declaresDevices(n))...)
				}
			}
		}
	})
	return out
}

// strings ranges over the strings of a value that contain neither templates nor escapes, without their quotes.
func (o *File) strings(a *attribute) iter.Seq[span] {
	return func(yield func(span) bool) {
		for i := a.first; i < a.last; i++ {
			if o.tokens[i].Type != hclsyntax.TokenOQuote {
				continue
			}
			if s, ok := o.plainString(i); ok && !yield(s) {
				return
			}
		}
	}
}

// plainString returns the text of the string that begins at token i, up to the first template or escape. It also reports whether the
// string has neither.
func (o *File) plainString(i int) (span, bool) {
	s := span{o.tokens[i].Range.End.Byte, o.tokens[i].Range.End.Byte}
	for i++; i < len(o.tokens); i++ {
		switch t := o.tokens[i]; t.Type {
		case hclsyntax.TokenQuotedLit:
			s.to = t.Range.End.Byte
		case hclsyntax.TokenCQuote:
			return s, !strings.Contains(o.slice(s), `\`)
		default:
			return s, false
		}
	}
	return s, false
}

// itemsAt splits the nodeset in the string that begins at token i. In a string with a template, it splits only the text before the
// template.
func (o *File) itemsAt(i int, kind nodeset.Kind, n *outlineBlock, declares bool) []naming {
	s, plain := o.plainString(i)
	out := o.items(s, kind, n, declares)
	if plain || len(out) == 0 {
		return out
	}
	last := &out[len(out)-1] // the last item is not complete
	if last.device.from >= 0 && last.device.to < last.whole.to && !last.inherited {
		last.iface, last.whole.to = span{-1, -1}, last.device.to
		return out
	}
	return out[:len(out)-1]
}

// items splits a nodeset at its commas and colons, except for commas and colons in brackets.
func (o *File) items(s span, kind nodeset.Kind, n *outlineBlock, declares bool) []naming {
	var out []naming
	text := o.slice(s)
	device := span{-1, -1}
	depth, from, colon := 0, 0, -1
	for i := 0; i <= len(text); i++ {
		switch {
		case i == len(text) || text[i] == ',' && depth == 0:
			item := trimmed(text, from, i)
			nm := naming{block: n, declares: declares, whole: span{s.from + item.from, s.from + item.to}, device: span{-1, -1}, iface: span{-1, -1}}
			switch {
			case kind == nodeset.Interfaces:
				nm.iface = nm.whole
			case colon >= 0:
				nm.device = span{nm.whole.from, s.from + colon}
				nm.iface = span{s.from + colon + 1, max(nm.whole.to, s.from+colon+1)}
				device = nm.device
			case device.from >= 0 && (kind == nodeset.Endpoints || kind == nodeset.Members):
				nm.device, nm.iface, nm.inherited = device, nm.whole, true
			default:
				nm.device = nm.whole
			}
			out = append(out, nm)
			from, colon = i+1, -1
		case text[i] == '[' || text[i] == '{':
			depth++
		case (text[i] == ']' || text[i] == '}') && depth > 0:
			depth--
		case text[i] == ':' && depth == 0 && colon < 0:
			colon = i
		}
	}
	return out
}

// trimmed returns text[from:to] without the spaces around it.
func trimmed(text string, from, to int) span {
	for from < to && text[from] == ' ' {
		from++
	}
	for to > from && text[to-1] == ' ' {
		to--
	}
	return span{from, to}
}

// devices ranges over the devices that an item names.
func (o *File) devices(n naming) iter.Seq[string] {
	if n.device.from < 0 {
		return func(func(string) bool) {}
	}
	return expandedDevices(o.slice(n.device))
}

// names reports whether an item names one of the devices. It compares at most left names, and subtracts their number from left.
func (o *File) names(n naming, devices map[string]bool, left *int) bool {
	for d := range o.devices(n) {
		if *left--; *left < 0 {
			return false
		}
		if devices[d] {
			return true
		}
	}
	return false
}

func expandedDevices(s string) iter.Seq[string]    { return expanded(s, nodeset.Devices) }
func expandedInterfaces(s string) iter.Seq[string] { return expanded(s, nodeset.Interfaces) }
