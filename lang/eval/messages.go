package eval

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/rocec/rocec/lang/diag"
)

// evalWords has our messages for errors of HCL in evaluations. A row matches by the summary of HCL's error and a part of its detail.
var evalWords = []struct{ summary, detail, says string }{
	{"Invalid index", "greater than or equal", "There is no such element: the list ends before this index. Correct the index; the first " +
		"element is 0."},
	{"Invalid index", "no elements", "There is no such element: the list is empty. Correct the index, or the list."},
	{"Invalid index", "negative number", "An index counts from 0. Write list[length(list) - 1] for the last element."},
	{"Invalid index", "fractional part", "An index is a whole number. Write floor(...) around it, or correct it."},
	{"Invalid index", "does not have any indices", "Only lists, maps and objects have elements, but this is another kind of value. Delete " +
		"the index."},
	{"Invalid index", "null value as an indexing key", "The index is null. Give it a value."},
	{"Invalid index", "Elements of a set", "A set has no order, so its elements have no index. Write tolist(...) around it first."},
	{"Invalid index", "a number is required", "The index of a list is a whole number. Correct it."},
	{"Invalid index", "", "There is no such element. Correct the key, or write lookup(map, key, default) where it may be missing."},
	{"Attempt to index null value", "", "The value is null, so it has no elements. Give it one, or write try(..., default)."},
	{"Attempt to get attribute from null value", "", "The value is null, so it has no attributes. Give it one, or write try(..., default)."},
	{"Missing map element", "", "The map has no such key. Correct it, or write lookup(map, key, default) where it may be missing."},
	{"Unsupported attribute", "list of objects", "This is a list. Write [*] before the name for all its elements, or [0] for the first."},
	{"Unsupported attribute", "set of objects", "This is a set. Write [for x in set : x.name] for all its elements."},
	{"Unsupported attribute", "primitive-typed", "Numbers, strings and booleans have no attributes. Delete the dot and the name; " +
		"functions are written name(value)."},
	{
		"Unsupported attribute", "This value does not have",
		"Nothing can be read from this value. A reference such as cos_group.NAME only names a block. Put a value that two blocks need in a " +
			"local.",
	},
	{"Operation failed", "must not be null", "One side of the operator is null, so the result cannot be computed. Give it a value, for " +
		"example with coalesce(x, 0)."},
	{"Operation failed", "", "The operator cannot be used on these values. Correct one of them."},
	{"Null condition", "", "The condition before ? is null. Give it a value that is true or false."},
	{"Incorrect condition type", "", "The condition before ? must be true or false. Write a comparison, such as x > 0."},
	{"Iteration over null value", "", "A for expression needs a list or a map, but this is null. Give it a value, for example with " +
		"coalesce(x, [])."},
	{
		"Iteration over non-iterable value", "type number",
		"A for expression needs a list or a map, not a number. Write range(5) for the numbers below 5.",
	},
	{"Iteration over non-iterable value", "", "A for expression needs a list or a map. Put the value in brackets [ ] if it is the only " +
		"element."},
	{"Condition is null", "", "The condition after if is null. Give it a value that is true or false."},
	{"Invalid 'for' condition", "must not be null", "The condition after if is null. Give it a value that is true or false."},
	{"Invalid 'for' condition", "", "The condition after if must be true or false. Write a comparison, such as x > 0."},
	{"Invalid object key", "null", "A key is null. Give it a value, or leave such elements out with if x != null."},
	{"Invalid object key", "", "A key is a string or a number. Correct the expression before =>."},
	{"Null value as key", "", "A key is null. Give it a value."},
	{"Incorrect key type", "", "A key is a string or a number. Correct it."},
	{"Duplicate object key", "", `Two elements have the same key. Make the keys differ, or write "..." after the value to collect all values of a key in a list.`},
	{"Ambiguous attribute key", "", "A key with a dot is ambiguous. Put it in quotes if it is a name, or in brackets ( ) if it is a " +
		"reference."},
	{"Splat of null value", "", "The value before [*] is null. Give it one, for example with coalesce(x, [])."},
	{"Invalid nested splat expressions", "", "The elements are of different types. Write [for x in list : ...] instead of [*]."},
	{"Invalid template interpolation value", "null", "The value is null, and a text cannot contain null. Give it a value, for example " +
		"with coalesce(x, \"none\")."},
	{"Invalid template interpolation value", "have tuple", "A text cannot contain a list. Write join(\", \", list)."},
	{"Invalid template interpolation value", "have list", "A text cannot contain a list. Write join(\", \", list)."},
	{"Invalid template interpolation value", "have set", "A text cannot contain a set. Write join(\", \", set)."},
	{
		"Invalid template interpolation value", "have object",
		"A text cannot contain an object. Write the name of one of its attributes, or jsonencode(object).",
	},
	{"Invalid template interpolation value", "have map", "A text cannot contain a map. Write the name of one of its keys, or " +
		"jsonencode(map)."},
	{"Invalid template interpolation value", "", "This is a reference to a block, which a text cannot contain. Write its name in the text."},
	{"Invalid expanding argument value", "null", `The value before "..." is null. Give it one, for example with coalesce(x, []).`},
	{"Invalid expanding argument value", "", `Only a list can be spread over arguments by "...". Put the value in brackets [ ], or delete the dots.`},
}

// evalMessage returns our message for an error of hcl in the evaluation of e, and its place.
func evalMessage(d *hcl.Diagnostic, e hclsyntax.Expression) (string, diag.Range) {
	at := e.Range()
	if d.Subject != nil {
		at = *d.Subject
	}
	switch d.Summary {
	case "Invalid function argument", "Error in function call", "Not enough function arguments", "Too many function arguments":
		return callMessage(d, at)
	case "Invalid operand":
		return operandMessage(d), at
	case "Unsupported attribute":
		if m := noAttribute().FindStringSubmatch(d.Detail); m != nil {
			return fmt.Sprintf("The object has no attribute %q. Correct the name, or write lookup(object, %q, default) where it may be missing.",
				diag.Cut(m[1]), diag.Cut(m[1])), at
		}
	}
	for _, w := range evalWords {
		if d.Summary == w.summary && strings.Contains(d.Detail, w.detail) {
			return w.says, at
		}
	}
	return strings.TrimSuffix(strings.ReplaceAll(d.Detail, "\n", " "), ".") + ". Correct the expression.", at
}

var noAttribute = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`This object does not have an attribute named "([^"]*)"`)
})

// callMessage returns the message about a wrong call of a function, with the arguments of the function.
func callMessage(d *hcl.Diagnostic, at diag.Range) (string, diag.Range) {
	name := ""
	if x, ok := hcl.DiagnosticExtra[hclsyntax.FunctionCallDiagExtra](d); ok {
		name = x.CalledFunctionName()
	} else if call, ok := d.Expression.(*hclsyntax.FunctionCallExpr); ok {
		name = call.Name
	}
	if name == "" {
		if m := calledName().FindStringSubmatch(d.Detail); m != nil {
			name = m[1]
		}
	}
	how := ""
	if i := slices.IndexFunc(Functions, func(f Function) bool { return f.Name == name }); i >= 0 {
		how = fmt.Sprintf(" Write %s(%s).", name, Functions[i].Args)
	}
	switch d.Summary {
	case "Not enough function arguments":
		return fmt.Sprintf("An argument of the function %s is missing.%s", name, how), at
	case "Too many function arguments":
		return fmt.Sprintf("The function %s takes fewer arguments.%s", name, how), at
	case "Invalid function argument":
		if x := d.Expression; x != nil && x.Range().Filename == at.Filename && x.Range().Start.Byte <= at.Start.Byte &&
			at.End.Byte <= x.Range().End.Byte {
			at = x.Range()
		}
		_, why, _ := strings.Cut(d.Detail, " parameter: ")
		why = typeWords(strings.TrimSuffix(why, "."))
		if why != "" && 'A' <= why[0] && why[0] <= 'Z' { // our own sentences
			return fmt.Sprintf("This argument does not suit %s. %s.", name, why), at
		}
		return fmt.Sprintf("This argument does not suit %s: %s.%s", name, why, how), at
	}
	_, why, _ := strings.Cut(d.Detail, " failed: ")
	return fmt.Sprintf("The function %s gives no value: %s.%s", name, typeWords(strings.TrimSuffix(why, ".")), how), at
}

var calledName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[Ff]unction "([^"]*)"`) })

// operandMessage states which operand an operator needs.
func operandMessage(d *hcl.Diagnostic) string {
	side := "This side of the operator"
	if strings.Contains(d.Detail, "unary operand") {
		side = "The operand"
	}
	switch {
	case strings.Contains(d.Detail, "bool"):
		return side + " must be true or false. Correct it, or write a comparison, such as x > 0."
	case strings.Contains(d.Detail, "have tuple"), strings.Contains(d.Detail, "have list"):
		return side + " must be a number, but it is a list. Write concat(a, b) to join lists."
	case strings.Contains(d.Detail, "a number is required"):
		return side + ` must be a number, but it is text. Correct it, or write "${a}${b}" to join texts.`
	}
	return side + " must be a number. Correct it."
}

// typeWords rewrites messages about types and values, mostly of cty, in the terms of this language.
func typeWords(s string) string {
	switch {
	case strings.Contains(s, "panic in function implementation"): // from hcl or cty; a user cannot use the rest
		return "it cannot be computed from these values"
	case s == "argument must not be null":
		return "it is null"
	case s == "EOF" || strings.HasPrefix(s, "unexpected EOF"):
		return "the JSON ends too early"
	case strings.HasPrefix(s, "invalid regexp pattern: "):
		return "it is not a regular expression, " + strings.TrimPrefix(s, "invalid regexp pattern: ")
	case strings.HasPrefix(s, "pattern did not match"):
		return "the pattern has no match in the string"
	}
	if strings.HasPrefix(s, "cannot convert ") {
		if strings.Contains(s, "any single type") || strings.Contains(s, "same type") {
			return "its elements are of different types"
		}
		if from, to, ok := strings.Cut(strings.TrimPrefix(s, "cannot convert "), " to "); ok {
			return fmt.Sprintf("expected %s, not %s", typeWord(to), typeWord(from))
		}
	}
	if m := haveType().FindStringSubmatch(s); m != nil {
		return fmt.Sprintf("expected %s, not %s", typeWord(m[1]), typeWord(m[2]))
	}
	if m := needType().FindStringSubmatch(s); m != nil {
		return "expected " + typeWord(m[1])
	}
	return notOurs.Replace(strings.ReplaceAll(s, "\n", " "))
}

var (
	haveType = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(.+) required, but have (.+)$`) })
	needType = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:an? )?([a-z ]+?) (?:is )?required$`) })
	notOurs  = strings.NewReplacer("invalid ", "wrong ", "tuple", "list", "cannot use element function with an empty list",
		"the list is empty")
)

// typeWord returns the name of a type of cty.
func typeWord(s string) string {
	switch s {
	case "number", "string":
		return "a " + s
	case "bool":
		return "true or false"
	case "tuple", "list", "list of dynamic", "list of any single type":
		return "a list"
	case "set", "set of dynamic", "set of any single type":
		return "a set"
	case "object":
		return "an object"
	case "map", "map of dynamic", "map of any single type":
		return "a map"
	case "cos_group", "switch", "host":
		return "a block"
	}
	for _, of := range []string{"list", "set", "map"} {
		if inner, ok := strings.CutPrefix(s, of+" of "); ok {
			switch inner {
			case "string", "number", "object", "map", "list":
				inner += "s"
			case "bool":
				inner = "booleans"
			}
			return fmt.Sprintf("a %s of %s", of, inner)
		}
	}
	return s
}

// noFunction returns the message about an unknown function, with a proposal.
func noFunction(name string) string {
	if near := diag.Nearest(name, functionNames()); near != "" {
		return fmt.Sprintf("There is no function named %q. Did you mean %q?", diag.Cut(name), near)
	}
	for _, word := range []string{
		"timestamp", "time", "uuid", "random", "env", "http", "templatefile", "bcrypt", "rsadecrypt", "sensitive",
		"pathexpand", "abspath",
	} {
		if strings.Contains(name, word) {
			return fmt.Sprintf("There is no function named %q: a fabric has the same values whenever and wherever it is read. Give "+
				"the value by a variable.", diag.Cut(name))
		}
	}
	return fmt.Sprintf("There is no function named %q. Use one that docs/language-reference.md lists.", diag.Cut(name))
}
