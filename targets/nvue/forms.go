package nvue

import (
	"strconv"

	"github.com/rocec/rocec/targets/nvue/grammar"
)

// dataName is the key of a tree among the data of a device.
const dataName = "nvue"

// commands spells a tree as lines of nv set; content that is not a tree has none.
func commands(content []byte) []byte {
	cfg, err := grammar.Read(content)
	if err != nil {
		return nil
	}
	return grammar.Commands("set", cfg.Set)
}

// data gives a tree as an object; content that is not a tree is an empty one.
func data(content []byte) map[string]any {
	cfg, err := grammar.Read(content)
	if err != nil {
		return map[string]any{}
	}
	return map[string]any{dataName: plain(cfg.Set)}
}

// plain is a tree as maps, lists, numbers, truth values and text.
func plain(t *grammar.Tree) any {
	switch {
	case t.IsMap():
		m := make(map[string]any, len(t.Kids))
		for k, v := range t.Kids {
			m[k] = plain(v)
		}
		return m
	case t.IsList():
		l := make([]any, len(t.Items))
		for i, v := range t.Items {
			l[i] = plain(v)
		}
		return l
	case t.Text:
		return t.Value
	case t.Value == "true" || t.Value == "false":
		return t.Value == "true"
	}
	if n, err := strconv.Atoi(t.Value); err == nil {
		return n
	}
	return t.Value
}
