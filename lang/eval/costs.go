package eval

import (
	resyntax "regexp/syntax"
	"strings"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/rocec/rocec/lang/parse"
)

// The costs below are upper bounds of the size of a result, which are known before the result is made. Their sums and products saturate.

func product(ns ...int) int {
	out := 1
	for _, n := range ns {
		if n != 0 && out > maxCallWork/n {
			return maxCallWork + 1
		}
		out *= n
	}
	return out
}

// bytesIn returns the bytes of text in a value, plus one for each element.
func bytesIn(v cty.Value) int {
	if v.IsNull() || !v.IsKnown() {
		return 1
	}
	switch ty := v.Type(); {
	case ty == cty.String:
		return len(v.AsString()) + 1
	case ty == cty.Number:
		return 512
	case ty.IsCollectionType() || ty.IsTupleType() || ty.IsObjectType():
		n := 1
		for it := v.ElementIterator(); it.Next(); {
			_, e := it.Element()
			n += bytesIn(e)
		}
		return n
	}
	return 8
}

// searchCost returns the work of comparing every element of the first argument with the second. cty reads all of both values for each
// comparison.
func searchCost(args []cty.Value) int {
	if args[0].IsNull() || !args[0].CanIterateElements() {
		return 0
	}
	return product(16, args[0].LengthInt(), elementsIn(args[1]))
}

// elementsIn counts a value and all values in it.
func elementsIn(v cty.Value) int {
	n := 1
	if v.IsKnown() && !v.IsNull() && v.CanIterateElements() {
		for it := v.ElementIterator(); it.Next(); {
			_, e := it.Element()
			n += elementsIn(e)
		}
	}
	return n
}

// nodesetCost returns the work of reading a nodeset. Each item may have a mistake, for which a message is made.
func nodesetCost(args []cty.Value) int {
	if args[0].IsNull() || args[0].Type() != cty.String {
		return 0
	}
	return product(16, len(args[0].AsString()))
}

func square(args []cty.Value) int {
	if args[0].IsNull() || !args[0].CanIterateElements() {
		return 0
	}
	return product(args[0].LengthInt(), args[0].LengthInt())
}

func joinCost(args []cty.Value) int {
	n := 0
	for _, list := range args[1:] {
		if !list.IsNull() && list.CanIterateElements() {
			n += bytesIn(list) + product(list.LengthInt(), bytesIn(args[0]))
		}
	}
	return n
}

// formatCost refuses widths and precisions that would fill the memory with spaces.
func formatCost(args []cty.Value) int {
	if args[0].IsNull() || args[0].Type() != cty.String {
		return 0
	}
	s := args[0].AsString()
	digits := 0
	for i := range len(s) {
		if digits++; s[i] < '0' || s[i] > '9' {
			digits = 0
		}
		if digits > 3 {
			return maxCallWork + 1
		}
	}
	n, longest := 0, 1
	for _, a := range args[1:] {
		n += bytesIn(a)
		if !a.IsNull() && (a.Type().IsListType() || a.Type().IsTupleType()) {
			longest = max(longest, a.LengthInt())
		}
	}
	return product(strings.Count(s, "%")+1, n+1000) + product(longest, len(s))
}

func productCost(args []cty.Value) int {
	n := 1
	for _, a := range args {
		if a.IsNull() || !a.CanIterateElements() {
			return 0
		}
		n = product(n, max(a.LengthInt(), 1))
	}
	if n > maxElements {
		return maxCallWork + 1
	}
	return product(n, len(args))
}

// jsonCost refuses text that is nested too deeply for the recursive parser.
func jsonCost(args []cty.Value) int {
	if args[0].IsNull() || args[0].Type() != cty.String {
		return 0
	}
	depth := 0
	quoted := false
	s := args[0].AsString()
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			if depth++; depth > parse.MaxDepth {
				return maxCallWork + 1
			}
		case c == ']' || c == '}':
			depth--
		}
	}
	return len(s)
}

func indentCost(args []cty.Value) int {
	n, err := convert.Convert(args[0], cty.Number)
	if err != nil || n.IsNull() || args[1].IsNull() || args[1].Type() != cty.String {
		return 0
	}
	spaces, _ := n.AsBigFloat().Int64()
	text := args[1].AsString()
	if spaces < 0 || spaces > MaxString {
		return maxCallWork + 1
	}
	return product(strings.Count(text, "\n")+1, int(spaces)+1) + len(text)
}

func matchCost(args []cty.Value) int {
	if args[1].IsNull() || args[2].IsNull() || !args[1].CanIterateElements() || !args[2].CanIterateElements() {
		return 0
	}
	return product(args[1].LengthInt()+1, args[2].LengthInt()+1)
}

// regexCost returns the upper bound of the work of matching: the size of the compiled expression times the length of the text.
func regexCost(args []cty.Value) int {
	if args[0].IsNull() || args[1].IsNull() || args[0].Type() != cty.String || args[1].Type() != cty.String {
		return 0
	}
	return matching(args[0].AsString(), args[1].AsString())
}

func matching(expr, s string) int {
	if len(expr) > 1024 {
		return maxCallWork + 1
	}
	re, err := resyntax.Parse(expr, resyntax.Perl)
	if err != nil {
		return 0 // the function reports it
	}
	prog, err := resyntax.Compile(re.Simplify())
	if err != nil {
		return 0
	}
	return product(len(prog.Inst)+re.MaxCap(), len(s)+1)
}

func replaceCost(args []cty.Value) int {
	for _, a := range args {
		if a.IsNull() || a.Type() != cty.String {
			return 0
		}
	}
	s, old, with := args[0].AsString(), args[1].AsString(), args[2].AsString()
	if expr, ok := slashed(old); ok {
		return max(matching(expr, s), product(2*(len(s)+1), len(with)+1))
	}
	if old == "" {
		return product(len(s)+1, len(with)+1)
	}
	return product(strings.Count(s, old), len(with)) + len(s)
}

// slashed reports whether the second argument of replace is a regular expression.
func slashed(s string) (string, bool) {
	if len(s) > 1 && s[0] == '/' && s[len(s)-1] == '/' {
		return s[1 : len(s)-1], true
	}
	return "", false
}
