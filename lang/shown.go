package lang

import (
	"strings"

	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"

	"github.com/rocec/rocec/lang/eval"
)

// mostShown bounds the values of one fabric that are converted to text.
const mostShown = 1000

// shown collects the values of a scope and of the modules it calls.
func (in *instance) shown() []Shown {
	var out []Shown
	for scopes := []*instance{in}; len(scopes) > 0 && len(out) < mostShown; scopes = scopes[1:] {
		sc := scopes[0]
		module := strings.TrimSuffix(sc.Prefix, ".")
		for _, name := range keys(sc.Vars) {
			if len(out) == mostShown {
				return out // no reader needs the text of more values, and it takes time
			}
			if v := sc.Vars[name]; v.OK {
				out = append(out, Shown{"variable", name, module, v.Decl, valueText(v.Value), v.At})
			}
		}
		for _, name := range keys(sc.Locals) {
			if len(out) == mostShown {
				return out
			}
			if n := sc.Locals[name]; n.OK && len(n.Exprs) > 0 {
				out = append(out, Shown{"local", name, module, n.At, valueText(n.Value), n.Exprs[0].Range()})
			}
		}
		scopes = append(scopes, sc.children...)
	}
	return out
}

// valueText returns a value in the notation of the language. For a long value it returns a description.
func valueText(v cty.Value) string {
	const most = 20 // elements
	elements := 0
	plain := true
	err := cty.Walk(v, func(_ cty.Path, v cty.Value) (bool, error) {
		if elements++; elements > most || !v.IsKnown() || v.Type().IsCapsuleType() {
			plain = false
		}
		return plain, nil
	})
	switch {
	case err != nil, !plain && !v.IsKnown():
		return "not known"
	case !plain:
		return eval.Describe(v)
	}
	text := string(hclwrite.TokensForValue(v).Bytes())
	if len(text) > 400 {
		return eval.Describe(v)
	}
	return text
}
