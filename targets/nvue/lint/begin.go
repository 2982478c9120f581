package lint

import (
	"bytes"
	"slices"
	"strings"
)

// sections are the keys around a tree.
var sections = []string{"header", "set", "unset"}

// isTree reports whether a YAML text is the tree itself: all its outermost keys are keys of NVUE, and one is about ports or QoS.
func isTree(head []byte) bool {
	tree := false
	for line := range bytes.Lines(head) {
		line = bytes.TrimRight(line, " \t\r\n")
		if len(line) == 0 || line[0] == ' ' || line[0] == '\t' || line[0] == '#' || bytes.Equal(line, []byte("---")) {
			continue
		}
		name, value, ok := bytes.Cut(line, []byte(":"))
		value = bytes.TrimLeft(value, " \t")
		key := string(bytes.Trim(name, `"'`))
		if !ok || len(value) > 0 && value[0] != '#' && (value[0] != '{' || bytes.HasPrefix(value, []byte("{}"))) ||
			!slices.Contains(roots, key) && !slices.Contains(sections, key) {
			return false
		}
		tree = tree || key == "interface" || key == "qos" || key == "set"
	}
	return tree
}

// isObject reports whether a text is JSON of NVUE: header, set and unset, also below the number of a revision, a tree, or the output of
// nv show.
func isObject(head []byte) bool {
	top, below, mapping := keysOf(head)
	if len(top) == 0 {
		return false
	}
	first := top[0]
	switch {
	case mapping && (slices.Contains(roots, first) || slices.Contains(sections, first)):
		return true
	case strings.Trim(first, "0123456789") == "" && slices.Contains(sections, below):
		return true
	case slices.ContainsFunc(top, isTable):
		return false
	}
	return slices.Contains(ofObject, first) || slices.Contains(ofInterface, below) ||
		slices.ContainsFunc(top, func(key string) bool { return key == "interface" || key == "qos" || key == "set" })
}

// isTable reports whether a key is the name of a table of SONiC.
func isTable(key string) bool { return key != "" && key[0] >= 'A' && key[0] <= 'Z' }

// keysOf returns the outermost keys of a JSON object, and the first key below the first of them. Any other text has no keys. If the first
// key is in capitals, keysOf returns only that key: the object has tables of SONiC, and may be large.
func keysOf(head []byte) (top []string, below string, mapping bool) {
	depth, quoted, from := 0, false, 0
	for i := 0; i < len(head); i++ {
		switch c := head[i]; {
		case quoted && c == '\\':
			i++
		case c == '"' && !quoted:
			quoted, from = true, i+1
		case c == '"':
			quoted = false
			rest := bytes.TrimLeft(head[i+1:min(len(head), i+64)], " \t\r\n")
			if len(rest) == 0 || rest[0] != ':' {
				continue
			}
			switch key := string(head[from:i]); {
			case depth == 1:
				if top = append(top, key); len(top) == 1 {
					if isTable(key) {
						return top, "", false
					}
					mapping = bytes.HasPrefix(bytes.TrimLeft(rest[1:], " \t\r\n"), []byte("{"))
				}
			case depth == 2 && len(top) == 1 && below == "":
				below = key
			}
		case quoted:
		case c == '{', c == '[':
			if depth++; depth == 1 && c == '[' {
				return nil, "", false
			}
		case c == '}', c == ']':
			depth--
		case depth == 0 && c > ' ':
			return top, below, mapping
		}
	}
	return top, below, mapping
}
