package eval

import (
	"errors"
	"fmt"
	"sync"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"

	"github.com/rocec/rocec/lang/parse"
)

// Function is one row of the table of functions.
type Function struct {
	Name string
	Args string // the arguments, for the manual
	Doc  string

	Example, Gives string // a call, and its value as JSON; a test runs it

	fn   function.Function
	own  func(*budget, parse.Folder) function.Function // instead of fn, if the function needs the budget or the folder
	cost func(args []cty.Value) int                    // upper bound of the bytes or elements of the result; nil: those of the arguments
	raw  bool                                          // gets expressions instead of values, and charges the budget by itself
}

// Functions lists the functions of the language, by name.
var Functions = []Function{
	{Name: "abs", Args: "number", Doc: "Absolute value.", Example: `abs(-1)`, Gives: `1`, fn: stdlib.AbsoluteFunc},
	{
		Name: "alltrue", Args: "list", Doc: "Whether every element is true. It is true for an empty list.", Example: `alltrue([true, 2 > 1])`,
		Gives: `true`, fn: allTrue,
	},
	{
		Name: "anytrue", Args: "list", Doc: "Whether at least one element is true.",
		Example: `anytrue([false, 2 > 1])`, Gives: `true`, fn: anyTrue,
	},
	{Name: "base64decode", Args: "string", Doc: "Text of a base64 string.", Example: `base64decode("aGk=")`, Gives: `"hi"`, fn: base64Decode},
	{Name: "base64encode", Args: "string", Doc: "Text as base64.", Example: `base64encode("hi")`, Gives: `"aGk="`, fn: base64Encode},
	{Name: "basename", Args: "path", Doc: "The last part of a path.", Example: `basename("racks/a.json")`, Gives: `"a.json"`, fn: baseName},
	{
		Name: "can", Args: "expression", Doc: "Whether the expression can be evaluated.", Example: `can(tonumber("x"))`, Gives: `false`,
		own: canFunction, raw: true,
	},
	{
		Name: "ceil", Args: "number", Doc: "The smallest whole number that is not below the number.",
		Example: `ceil(1.2)`, Gives: `2`, fn: stdlib.CeilFunc,
	},
	{
		Name: "chomp", Args: "string", Doc: "The string without newlines at the end.",
		Example: `chomp("a\n")`, Gives: `"a"`, fn: stdlib.ChompFunc,
	},
	{
		Name: "chunklist", Args: "list, size", Doc: "The list cut into lists of a size.",
		Example: `chunklist([1, 2, 3], 2)`, Gives: `[[1,2],[3]]`,
		fn: stdlib.ChunklistFunc,
	},
	{
		Name: "cidrcontains", Args: "prefix, address", Doc: "Whether a prefix contains an address or another prefix.",
		Example: `cidrcontains("192.0.2.0/24", "192.0.2.7")`, Gives: `true`, fn: cidrContains,
	},
	{
		Name: "cidrhost", Args: "prefix, number", Doc: "The n-th address of a prefix; negative numbers count from the end.",
		Example: `cidrhost("192.0.2.0/24", 5)`, Gives: `"192.0.2.5"`, fn: cidrHost,
	},
	{
		Name: "cidrnetmask", Args: "prefix", Doc: "The netmask of an IPv4 prefix.", Example: `cidrnetmask("192.0.2.0/24")`,
		Gives: `"255.255.255.0"`, fn: cidrNetmask,
	},
	{
		Name: "cidrsubnet", Args: "prefix, newbits, number", Doc: "The n-th prefix inside a prefix, longer by newbits.",
		Example: `cidrsubnet("10.0.0.0/8", 8, 3)`, Gives: `"10.3.0.0/16"`, fn: cidrSubnet,
	},
	{
		Name: "cidrsubnets", Args: "prefix, newbits...", Doc: "Consecutive prefixes inside a prefix, each longer by its newbits.",
		Example: `cidrsubnets("10.1.0.0/16", 4, 4, 8)`, Gives: `["10.1.0.0/20","10.1.16.0/20","10.1.32.0/24"]`, fn: cidrSubnets,
	},
	{
		Name: "coalesce", Args: "value...", Doc: "The first value that is neither null nor an empty string.",
		Example: `coalesce(null, "", "leaf")`,
		Gives:   `"leaf"`, fn: coalesce,
	},
	{
		Name: "coalescelist", Args: "list...", Doc: "The first list that is not empty.", Example: `coalescelist([], [1])`, Gives: `[1]`,
		fn: stdlib.CoalesceListFunc,
	},
	{
		Name: "compact", Args: "list", Doc: "The strings of the list that are neither null nor empty.",
		Example: `compact(["a", "", "b"])`, Gives: `["a","b"]`,
		fn: stdlib.CompactFunc,
	},
	{
		Name: "concat", Args: "list...", Doc: "One list of the elements of all lists.", Example: `concat([1], ["a"])`, Gives: `[1,"a"]`,
		fn: stdlib.ConcatFunc,
	},
	{
		Name: "contains", Args: "list, value", Doc: "Whether the list contains the value.", Example: `contains(["a"], "a")`, Gives: `true`,
		fn: stdlib.ContainsFunc, cost: searchCost,
	},
	{
		Name: "csvdecode", Args: "string", Doc: "CSV with a header line, as a list of objects.", Example: `csvdecode("a,b\n1,2\n")`,
		Gives: `[{"a":"1","b":"2"}]`, fn: stdlib.CSVDecodeFunc,
	},
	{Name: "dirname", Args: "path", Doc: "A path without its last part.", Example: `dirname("racks/a.json")`, Gives: `"racks"`, fn: dirName},
	{
		Name: "distinct", Args: "list", Doc: "The list without repeated elements.", Example: `distinct(["b", "a", "b"])`, Gives: `["b","a"]`,
		fn: stdlib.DistinctFunc, cost: square,
	},
	{
		Name: "element", Args: "list, index", Doc: "The element at an index. Counting starts again after the last element.",
		Example: `element(["a", "b"], 3)`, Gives: `"b"`,
		fn: stdlib.ElementFunc,
	},
	{
		Name: "endswith", Args: "string, suffix", Doc: "Whether the string ends with the suffix.",
		Example: `endswith("abc", "bc")`, Gives: `true`,
		fn: endsWith,
	},
	{
		Name: "file", Args: "path", Doc: "Text of a file below the fabric's folder, at most 64 KiB.", Example: `file("note.txt")`,
		Gives: `"hello"`, own: fileFunction,
	},
	{
		Name: "flatten", Args: "list", Doc: "One list of all elements, also of the lists inside the list.",
		Example: `flatten([[1], [2, [3]]])`, Gives: `[1,2,3]`,
		fn: stdlib.FlattenFunc,
	},
	{
		Name: "floor", Args: "number", Doc: "The largest whole number that is not above the number.",
		Example: `floor(1.8)`, Gives: `1`, fn: stdlib.FloorFunc,
	},
	{
		Name: "format", Args: "format, value...", Doc: "The values as text, by a format such as \"leaf%02d\".", Example: `format("leaf%02d", 7)`,
		Gives: `"leaf07"`, fn: stdlib.FormatFunc, cost: formatCost,
	},
	{
		Name: "formatlist", Args: "format, list...", Doc: "A list of texts: format for every element.",
		Example: `formatlist("p%d", [1, 2])`, Gives: `["p1","p2"]`,
		fn: stdlib.FormatListFunc, cost: formatCost,
	},
	{
		Name: "indent", Args: "spaces, string", Doc: "The string with spaces before every line except the first.", Example: `indent(2, "a\nb")`,
		Gives: `"a\n  b"`, fn: stdlib.IndentFunc, cost: indentCost,
	},
	{
		Name: "index", Args: "list, value", Doc: "The index of the value in the list.",
		Example: `index(["a", "b"], "b")`, Gives: `1`, fn: indexOf,
		cost: searchCost,
	},
	{
		Name: "join", Args: "separator, list", Doc: "The strings of a list as one string.", Example: `join("-", ["a", "b"])`, Gives: `"a-b"`,
		fn: stdlib.JoinFunc, cost: joinCost,
	},
	{
		Name: "jsondecode", Args: "string", Doc: "Value of a JSON text.", Example: `jsondecode("{\"a\":[1]}")`, Gives: `{"a":[1]}`,
		fn: stdlib.JSONDecodeFunc, cost: jsonCost,
	},
	{
		Name: "jsonencode", Args: "value", Doc: "The value as JSON.", Example: `jsonencode({a = 1})`, Gives: `"{\"a\":1}"`,
		fn: stdlib.JSONEncodeFunc,
	},
	{Name: "keys", Args: "map", Doc: "The keys of a map, sorted.", Example: `keys({b = 1, a = 2})`, Gives: `["a","b"]`, fn: stdlib.KeysFunc},
	{
		Name: "length", Args: "value", Doc: "Elements of a collection, or characters of a string.", Example: `length(["a", "b"])`, Gives: `2`,
		fn: lengthOf,
	},
	{Name: "log", Args: "number, base", Doc: "Logarithm.", Example: `log(16, 2)`, Gives: `4`, fn: logarithm},
	{
		Name: "lookup", Args: "map, key, default", Doc: "The element of a key, or the default if the key is missing.",
		Example: `lookup({a = 1}, "b", 2)`, Gives: `2`,
		fn: stdlib.LookupFunc,
	},
	{Name: "lower", Args: "string", Doc: "The string in lower case.", Example: `lower("AB")`, Gives: `"ab"`, fn: stdlib.LowerFunc},
	{
		Name: "matchkeys", Args: "values, keys, wanted", Doc: "The values whose key is in the list wanted. The key of a value has the same " +
			"index in the second list.",
		Example: `matchkeys(["s1", "s2", "s3"], ["a", "b", "a"], ["a"])`, Gives: `["s1","s3"]`, fn: matchKeys, cost: matchCost,
	},
	{Name: "max", Args: "number...", Doc: "The largest number.", Example: `max(1, 3, 2)`, Gives: `3`, fn: stdlib.MaxFunc},
	{
		Name: "merge", Args: "map...", Doc: "One map of the elements of all maps. Of equal keys, the last one counts.",
		Example: `merge({a = 1}, {a = 2, b = 3})`, Gives: `{"a":2,"b":3}`,
		fn: stdlib.MergeFunc,
	},
	{Name: "min", Args: "number...", Doc: "The smallest number.", Example: `min(1, 3)`, Gives: `1`, fn: stdlib.MinFunc},
	{
		Name: "nodeset", Args: "string", Doc: "The names of a nodeset of devices, or of device:interface, as a list.",
		Example: `nodeset("leaf[01-02]")`, Gives: `["leaf01","leaf02"]`, own: nodesetFunction, cost: nodesetCost,
	},
	{
		Name: "one", Args: "list", Doc: "The only element of a list, or null for an empty list.",
		Example: `one([7])`, Gives: `7`, fn: oneFunction,
	},
	{
		Name: "parseint", Args: "string, base", Doc: "The number that a string represents in a base.",
		Example: `parseint("ff", 16)`, Gives: `255`,
		fn: stdlib.ParseIntFunc,
	},
	{Name: "pow", Args: "base, exponent", Doc: "Power.", Example: `pow(2, 10)`, Gives: `1024`, fn: power},
	{
		Name: "range", Args: "[start,] limit [, step]", Doc: "Numbers from start to below limit, at most 4096.",
		Example: `range(1, 7, 3)`, Gives: `[1,4]`, fn: rangeFunction,
	},
	{
		Name: "regex", Args: "pattern, string", Doc: "The first match of a regular expression, or its groups.",
		Example: `regex("[0-9]+", "a12b")`, Gives: `"12"`, fn: stdlib.RegexFunc, cost: regexCost,
	},
	{
		Name: "regexall", Args: "pattern, string", Doc: "All matches of a regular expression.", Example: `regexall("[0-9]", "a12b")`,
		Gives: `["1","2"]`, fn: stdlib.RegexAllFunc, cost: regexCost,
	},
	{
		Name: "replace", Args: "string, old, new", Doc: "The string with every old replaced by new; old may be a /regular expression/.",
		Example: `replace("a-b", "-", "+")`, Gives: `"a+b"`, fn: replace, cost: replaceCost,
	},
	{
		Name: "reverse", Args: "list", Doc: "The list in the opposite order.",
		Example: `reverse([1, 2])`, Gives: `[2,1]`, fn: stdlib.ReverseListFunc,
	},
	{
		Name: "setintersection", Args: "set...", Doc: "The elements that are in all sets.",
		Example: `setintersection(toset(["a", "b"]), toset(["b"]))`,
		Gives:   `["b"]`, fn: stdlib.SetIntersectionFunc,
	},
	{
		Name: "setproduct", Args: "set...", Doc: "All combinations.", Example: `setproduct(["a"], ["x", "y"])`, Gives: `[["a","x"],["a","y"]]`,
		fn: stdlib.SetProductFunc, cost: productCost,
	},
	{
		Name: "setsubtract", Args: "set, set", Doc: "The elements of the first set that are not in the second.",
		Example: `setsubtract(toset(["a", "b"]), toset(["b"]))`, Gives: `["a"]`, fn: stdlib.SetSubtractFunc,
	},
	{
		Name: "setunion", Args: "set...", Doc: "The elements that are in any of the sets.",
		Example: `setunion(toset(["a"]), toset(["b"]))`, Gives: `["a","b"]`,
		fn: stdlib.SetUnionFunc,
	},
	{Name: "signum", Args: "number", Doc: "The sign of the number: -1, 0 or 1.", Example: `signum(-3)`, Gives: `-1`, fn: stdlib.SignumFunc},
	{
		Name: "slice", Args: "list, start, end", Doc: "The elements from index start to below index end.", Example: `slice([1, 2, 3], 1, 2)`,
		Gives: `[2]`, fn: stdlib.SliceFunc,
	},
	{
		Name: "sort", Args: "list", Doc: "The strings in alphabetical order.",
		Example: `sort(["b", "a"])`, Gives: `["a","b"]`, fn: stdlib.SortFunc,
	},
	{
		Name: "split", Args: "separator, string", Doc: "The parts of a string.", Example: `split(",", "a,b")`, Gives: `["a","b"]`,
		fn: stdlib.SplitFunc,
	},
	{
		Name: "startswith", Args: "string, prefix", Doc: "Whether the string starts with the prefix.",
		Example: `startswith("abc", "ab")`, Gives: `true`,
		fn: startsWith,
	},
	{
		Name: "strcontains", Args: "string, part", Doc: "Whether the string contains the part.", Example: `strcontains("leaf01", "af")`,
		Gives: `true`, fn: strContains,
	},
	{
		Name: "strrev", Args: "string", Doc: "The characters in the opposite order.", Example: `strrev("abc")`, Gives: `"cba"`,
		fn: stdlib.ReverseFunc,
	},
	{
		Name: "substr", Args: "string, offset, length", Doc: "A part of a string, by characters.", Example: `substr("hello", 1, 3)`,
		Gives: `"ell"`, fn: stdlib.SubstrFunc,
	},
	{Name: "sum", Args: "list", Doc: "Sum of the numbers of a list.", Example: `sum([1, 2.5])`, Gives: `3.5`, fn: sum},
	{
		Name: "title", Args: "string", Doc: "The string with a capital at the start of every word.",
		Example: `title("ab cd")`, Gives: `"Ab Cd"`, fn: stdlib.TitleFunc,
	},
	{Name: "tobool", Args: "value", Doc: "The value as a boolean.", Example: `tobool("true")`, Gives: `true`, fn: stdlib.MakeToFunc(cty.Bool)},
	{
		Name: "tolist", Args: "value", Doc: "The value as a list.", Example: `tolist(toset([1]))`, Gives: `[1]`,
		fn: stdlib.MakeToFunc(cty.List(cty.DynamicPseudoType)),
	},
	{
		Name: "tomap", Args: "value", Doc: "The value as a map.", Example: `tomap({a = 1})`, Gives: `{"a":1}`,
		fn: stdlib.MakeToFunc(cty.Map(cty.DynamicPseudoType)),
	},
	{Name: "tonumber", Args: "value", Doc: "The value as a number.", Example: `tonumber("3")`, Gives: `3`, fn: stdlib.MakeToFunc(cty.Number)},
	{
		Name: "toset", Args: "value", Doc: "The value as a set.", Example: `toset(["b", "a", "b"])`, Gives: `["a","b"]`,
		fn: stdlib.MakeToFunc(cty.Set(cty.DynamicPseudoType)),
	},
	{Name: "tostring", Args: "value", Doc: "The value as a string.", Example: `tostring(1)`, Gives: `"1"`, fn: stdlib.MakeToFunc(cty.String)},
	{
		Name: "transpose", Args: "map", Doc: "A map of lists with keys and values exchanged.", Example: `transpose({a = ["x", "y"]})`,
		Gives: `{"x":["a"],"y":["a"]}`, fn: transpose,
	},
	{
		Name: "trim", Args: "string, characters", Doc: "The string without these characters at both ends.",
		Example: `trim("xax", "x")`, Gives: `"a"`,
		fn: stdlib.TrimFunc,
	},
	{
		Name: "trimprefix", Args: "string, prefix", Doc: "The string without the prefix.", Example: `trimprefix("ab", "a")`, Gives: `"b"`,
		fn: stdlib.TrimPrefixFunc,
	},
	{
		Name: "trimspace", Args: "string", Doc: "The string without white space at both ends.", Example: `trimspace(" a ")`, Gives: `"a"`,
		fn: stdlib.TrimSpaceFunc,
	},
	{
		Name: "trimsuffix", Args: "string, suffix", Doc: "The string without the suffix.", Example: `trimsuffix("ab", "b")`, Gives: `"a"`,
		fn: stdlib.TrimSuffixFunc,
	},
	{
		Name: "try", Args: "expression...", Doc: "The first expression that can be evaluated.", Example: `try(tonumber("x"), 2)`, Gives: `2`,
		own: tryFunction, raw: true,
	},
	{Name: "upper", Args: "string", Doc: "The string in upper case.", Example: `upper("a")`, Gives: `"A"`, fn: stdlib.UpperFunc},
	{
		Name: "values", Args: "map", Doc: "The values of a map, in the order of their keys.", Example: `values({b = 1, a = 2})`, Gives: `[2,1]`,
		fn: stdlib.ValuesFunc,
	},
	{
		Name: "zipmap", Args: "keys, values", Doc: "A map from a list of keys and a list of values.",
		Example: `zipmap(["a", "b"], [1, 2])`, Gives: `{"a":1,"b":2}`,
		fn: stdlib.ZipmapFunc,
	},
}

var functionsByName = sync.OnceValue(func() map[string]bool {
	known := make(map[string]bool, len(Functions))
	for _, f := range Functions {
		known[f.Name] = true
	}
	return known
})

func isFunction(name string) bool { return functionsByName()[name] }

func functionNames() (names []string) {
	for _, f := range Functions {
		names = append(names, f.Name)
	}
	return names
}

// functions returns the functions for one folder. Each charges the budget of the load.
func (ev *Evaluator) functions(f parse.Folder) map[string]function.Function {
	out := make(map[string]function.Function, len(Functions))
	for _, row := range Functions {
		fn := row.fn
		if row.own != nil {
			fn = row.own(&ev.budget, f)
		}
		if !row.raw {
			fn = bounded(&ev.budget, fn, row.cost)
		}
		out[row.Name] = fn
	}
	return out
}

// bounded wraps fn. It charges for arguments and result, and refuses a result that is too large before it is made. It converts
// arguments to their types in linear time; HCL would convert tuples to lists in quadratic time.
func bounded(b *budget, fn function.Function, cost func([]cty.Value) int) function.Function {
	params, rest := fn.Params(), fn.VarParam()
	spec := &function.Spec{Type: function.StaticReturnType(cty.DynamicPseudoType)}
	for _, p := range params {
		spec.Params = append(spec.Params, function.Parameter{Name: p.Name, Type: cty.DynamicPseudoType, AllowNull: true, AllowDynamicType: true})
	}
	if rest != nil {
		spec.VarParam = &function.Parameter{Name: rest.Name, Type: cty.DynamicPseudoType, AllowNull: true, AllowDynamicType: true}
	}
	spec.Impl = func(in []cty.Value, _ cty.Type) (out cty.Value, err error) {
		defer b.caught(&err)
		if len(in) > maxArguments {
			return cty.NilVal, fmt.Errorf("more than %d arguments", maxArguments)
		}
		args := make([]cty.Value, len(in))
		for i, v := range in {
			b.measure(v)
			if v.Type().IsSetType() && v.IsKnown() && !v.IsNull() {
				b.charge(3 * sorting(v)) // cty ranges over it several times
			}
			p := rest
			if i < len(params) {
				p = &params[i]
			}
			if args[i], err = fit(v, p.Type); err != nil {
				return cty.NilVal, function.NewArgError(i, err)
			}
		}
		if cost != nil {
			if n := cost(args); n > maxCallWork || n < 0 {
				b.stop(&parse.TooLarge, "A function call would make a value that is far too large. Make its arguments smaller.")
			} else {
				b.charge(n / 16)
			}
		}
		v, err := fn.Call(args)
		switch _, panicked := errors.AsType[function.PanicError](err); {
		case err == nil:
			b.measure(v)
		case panicked: // the error contains a stack trace
			b.charge(panicWork)
		default:
			b.charge(errorWork)
		}
		return v, err
	}
	return function.New(spec)
}
