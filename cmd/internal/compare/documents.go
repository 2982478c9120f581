package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
)

// documents compares two JSON documents.
type documents struct {
	ignored map[string]bool // members that may differ
	add     func(member, where, old, new string)
}

// compare reports where two values differ. Path has the members that lead to the values, such as "diagnostics[].range". Where is the
// innermost finding that contains the values.
func (d *documents) compare(path, where string, old, new any) {
	switch o := old.(type) {
	case map[string]any:
		if n, ok := new.(map[string]any); ok {
			where = cmp.Or(identity(o), where)
			for _, name := range union(o, n) {
				if d.ignored[name] {
					continue
				}
				x, inOld := o[name]
				y, inNew := n[name]
				below := name
				if path != "" {
					below = path + "." + name
				}
				if inOld && inNew {
					d.compare(below, where, x, y)
				} else {
					d.add(below, where, d.text(x, inOld), d.text(y, inNew))
				}
			}
			return
		}
	case []any:
		if n, ok := new.([]any); ok {
			d.lists(path+"[]", where, o, n)
			return
		}
	}
	d.add(path, where, d.text(old, true), d.text(new, true))
}

// lists matches the elements of two lists by content. It matches the other elements by subject, and compares each pair.
func (d *documents) lists(path, where string, old, new []any) {
	left := map[string]int{} // by content: the number of elements in old less the number in new
	oldText, newText := make([]string, len(old)), make([]string, len(new))
	for i, v := range old {
		oldText[i] = d.text(v, true)
		left[oldText[i]]++
	}
	for i, v := range new {
		newText[i] = d.text(v, true)
		left[newText[i]]--
	}
	var onlyOld, onlyNew []any
	for i, v := range old {
		if left[oldText[i]] > 0 {
			left[oldText[i]]--
			onlyOld = append(onlyOld, v)
		}
	}
	for i, v := range new {
		if left[newText[i]] < 0 {
			left[newText[i]]++
			onlyNew = append(onlyNew, v)
		}
	}
	if len(onlyOld) == 0 && len(onlyNew) == 0 {
		for i := range old {
			if a, b := orderKey(old[i], oldText[i]), orderKey(new[i], newText[i]); a != b {
				d.add(path+" (order)", where, a, b)
				return
			}
		}
		return
	}
	// Pairs with the most similar subjects are matched first.
	for _, alike := range []func(any) string{identity, about, func(any) string { return "an element" }} {
		onlyOld = slices.DeleteFunc(onlyOld, func(o any) bool {
			key := alike(o)
			i := slices.IndexFunc(onlyNew, func(n any) bool { return key != "" && alike(n) == key && about(n) == about(o) })
			if i < 0 {
				return false
			}
			d.compare(path, where, o, onlyNew[i])
			onlyNew = slices.Delete(onlyNew, i, i+1)
			return true
		})
	}
	for _, o := range onlyOld {
		d.add(path, cmp.Or(identity(o), where), d.text(o, true), absent)
	}
	for _, n := range onlyNew {
		d.add(path, cmp.Or(identity(n), where), absent, d.text(n, true))
	}
}

// text returns a value without the members that may differ, on one line and in a fixed order.
func (d *documents) text(v any, there bool) string {
	if !there {
		return absent
	}
	out, err := json.Marshal(d.strip(v))
	if err != nil {
		panic(err) // the value is from a JSON document
	}
	return string(out)
}

// strip copies a value without the members that may differ.
func (d *documents) strip(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, x := range v {
			if !d.ignored[name] {
				out[name] = d.strip(x)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = d.strip(x)
		}
		return out
	}
	return v
}

// about returns the code of a finding, or the name of an object; empty for other values.
func about(v any) string {
	for _, name := range []string{"code", "ruleId", "cos_group", "title", "name", "intent"} {
		if s, ok := member(v, name).(string); ok {
			return s
		}
	}
	return ""
}

// identity returns the subject and the place of an element: "pfc-loop at fabric.hcl:7:18".
func identity(v any) string {
	if at := place(v); at != "" && about(v) != "" {
		return fmt.Sprintf("%s at %s", about(v), at)
	}
	return about(v)
}

// orderKey returns the key by which the order of lists is compared. Findings of one code at one place have the same key, so their order
// may differ.
func orderKey(v any, text string) string {
	if place(v) != "" {
		return identity(v)
	}
	return text
}
