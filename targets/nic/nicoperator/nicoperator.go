// Package nicoperator writes and reads the objects of NVIDIA's NIC configuration operator for Kubernetes: an [Object] is a
// NicConfigurationTemplate, which states settings of all NICs of a type, or a NicDevice, which is a NIC of a node with its template.
//
// The table of fields is ours, and names the commit of the operator from which it is. Writer and reader use only this table, so that both
// have the same fields, types and limits. A test outside of the repository compared the table with the operator's own schema once.
//
// The operator applies a template to every port of a NIC. Trust, PFC and TOS go through its device management service; link pause, ECN and
// cable length through ethtool, sysfs and mlnx_qos; RoCE mode through cma_roce_mode; CNPs only through parameters of the firmware.
package nicoperator

import (
	"strings"

	"github.com/rocec/rocec/lang/nodeset"
)

// NodeText is the part of a file about one node.
type NodeText struct {
	Node string // the name in the fabric: the name of the node without its domain, if no other node of the file has it
	Text []byte
}

// ByNode divides a file with the objects of several nodes. rest has the objects without a node; nil: each object has one. If the file has
// the objects of one node, or of no node, there are no parts.
func ByNode(data []byte) (parts []NodeText, rest []byte) {
	nodes, at := map[string]bool{}, map[string]int{}
	objects := Objects(string(data))
	short := map[string]string{} // from short names to nodes; empty: of several nodes
	for i := range objects {
		if name := objects[i].Node; isNode(name) {
			nodes[name] = true
			first, _, _ := strings.Cut(name, ".")
			if other, known := short[first]; !known {
				short[first] = name
			} else if other != name {
				short[first] = ""
			}
		}
	}
	if len(nodes) == 0 || len(nodes) == 1 && !hasLone(objects) {
		return nil, nil
	}
	for i := range objects {
		o := &objects[i]
		if !nodes[o.Node] {
			rest = appendPiece(rest, o.text)
			continue
		}
		k, is := at[o.Node]
		if !is {
			name := o.Node
			if first, _, _ := strings.Cut(name, "."); short[first] == name {
				name = first
			}
			k, at[o.Node] = len(parts), len(parts)
			parts = append(parts, NodeText{Node: name})
		}
		parts[k].Text = appendPiece(parts[k].Text, o.text)
	}
	return parts, rest
}

// hasLone reports whether an object belongs to no node.
func hasLone(objects []Object) bool {
	for i := range objects {
		if !isNode(objects[i].Node) {
			return true
		}
	}
	return false
}

// isNode reports whether a text can be the name of a node (RFC 1123), which may become the name of a file.
func isNode(name string) bool {
	const most = 253
	return name != "" && len(name) <= most && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-.") == "" &&
		strings.Trim(name[:1], ".-") != "" && !strings.Contains(name, "..")
}

// appendPiece appends a document.
func appendPiece(to []byte, text string) []byte {
	to = append(append(to, "---\n"...), strings.TrimLeft(text, "\r\n")...)
	if !strings.HasSuffix(text, "\n") {
		to = append(to, '\n')
	}
	return to
}

// nodesText returns names of hosts as a nodeset.
func nodesText(names []string) string { return strings.Join(nodeset.Fold(names, nodeset.Devices), ",") }
