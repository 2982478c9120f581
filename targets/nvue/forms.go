package nvue

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/rocec/rocec/targets/nvue/grammar"
)

// stored returns a configuration in the form of startup.yaml. Commands, JSON, and trees below a command line are converted.
func stored(content []byte) (out []byte, why string) {
	if text := bytes.TrimSpace(content); !bytes.HasPrefix(text, []byte("{")) && !bytes.HasPrefix(text, []byte("[")) {
		if _, err := grammar.Read(content); err == nil {
			return content, ""
		}
	}
	l := grammar.ReadLoosely(content, grammar.Any())
	switch {
	case l.Refused || len(l.Set.Kids) == 0:
		return nil, l.Part
	case len(l.Slips) > 0:
		return nil, fmt.Sprintf("its line %d cannot be read", max(l.Slips[0].Line, 1))
	}
	return l.YAML(), ""
}

// dataName is the key of a tree among the data of a device.
const dataName = "nvue"

// setLines writes a tree as lines of nv set. Content that is not a tree gives no lines.
func setLines(content []byte) []byte {
	cfg, err := grammar.Read(content)
	if err != nil {
		return nil
	}
	return grammar.Commands("set", cfg.Set)
}

// data returns a tree as an object. Content that is not a tree gives an empty object.
func data(content []byte) map[string]any {
	cfg, err := grammar.Read(content)
	if err != nil {
		return map[string]any{}
	}
	return map[string]any{dataName: plain(cfg.Set)}
}

// plain returns a tree as maps, lists, numbers, truth values and text.
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
