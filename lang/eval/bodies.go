package eval

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/big"
	"net/netip"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/lang/parse"
)

// simple makes a function from its parameters, its fixed result type and its body.
func simple(result cty.Type, body func(args []cty.Value) (cty.Value, error), params ...function.Parameter) function.Function {
	return function.New(&function.Spec{
		Params: params, Type: function.StaticReturnType(result),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) { return body(args) },
	})
}

func param(name string, ty cty.Type) function.Parameter {
	return function.Parameter{Name: name, Type: ty}
}

var base64Encode = simple(cty.String, func(args []cty.Value) (cty.Value, error) {
	return cty.StringVal(base64.StdEncoding.EncodeToString([]byte(args[0].AsString()))), nil
}, param("string", cty.String))

var base64Decode = simple(cty.String, func(args []cty.Value) (cty.Value, error) {
	b, err := base64.StdEncoding.DecodeString(args[0].AsString())
	if err != nil || !utf8.Valid(b) {
		return cty.NilVal, function.NewArgErrorf(0, "this is not base64 of UTF-8 text")
	}
	return cty.StringVal(string(b)), nil
}, param("string", cty.String))

var startsWith = simple(cty.Bool, func(args []cty.Value) (cty.Value, error) {
	return cty.BoolVal(strings.HasPrefix(args[0].AsString(), args[1].AsString())), nil
}, param("string", cty.String), param("prefix", cty.String))

var endsWith = simple(cty.Bool, func(args []cty.Value) (cty.Value, error) {
	return cty.BoolVal(strings.HasSuffix(args[0].AsString(), args[1].AsString())), nil
}, param("string", cty.String), param("suffix", cty.String))

var replace = simple(cty.String, func(args []cty.Value) (cty.Value, error) {
	if expr, ok := slashed(args[1].AsString()); ok {
		return stdlib.RegexReplace(args[0], cty.StringVal(expr), args[2])
	}
	return stdlib.Replace(args[0], args[1], args[2])
}, param("string", cty.String), param("old", cty.String), param("new", cty.String))

var lengthOf = simple(cty.Number, func(args []cty.Value) (cty.Value, error) {
	switch ty := args[0].Type(); {
	case ty == cty.String:
		return stdlib.Strlen(args[0])
	case ty.IsCollectionType() || ty.IsTupleType() || ty.IsObjectType():
		return cty.NumberIntVal(int64(args[0].LengthInt())), nil
	}
	return cty.NilVal, function.NewArgErrorf(0, "only collections and strings have a length")
}, param("value", cty.DynamicPseudoType))

var indexOf = simple(cty.Number, func(args []cty.Value) (cty.Value, error) {
	if ty := args[0].Type(); !ty.IsListType() && !ty.IsTupleType() {
		return cty.NilVal, function.NewArgErrorf(0, "expected a list")
	}
	n := int64(0)
	for it := args[0].ElementIterator(); it.Next(); n++ {
		if _, v := it.Element(); v.Type().Equals(args[1].Type()) && !v.IsNull() && v.Equals(args[1]).True() {
			return cty.NumberIntVal(n), nil
		}
	}
	return cty.NilVal, errors.New("the value is not in the list")
}, param("list", cty.DynamicPseudoType), param("value", cty.DynamicPseudoType))

var oneFunction = simple(cty.DynamicPseudoType, func(args []cty.Value) (cty.Value, error) {
	ty := args[0].Type()
	if !ty.IsListType() && !ty.IsTupleType() && !ty.IsSetType() {
		return cty.NilVal, function.NewArgErrorf(0, "expected a list or set")
	}
	switch args[0].LengthInt() {
	case 0:
		return cty.NullVal(cty.DynamicPseudoType), nil
	case 1:
		return args[0].AsValueSlice()[0], nil
	}
	return cty.NilVal, function.NewArgErrorf(0, "there is more than one element")
}, param("list", cty.DynamicPseudoType))

var sum = simple(cty.Number, func(args []cty.Value) (cty.Value, error) {
	if !args[0].CanIterateElements() || args[0].LengthInt() == 0 {
		return cty.NilVal, function.NewArgErrorf(0, "expected a list of numbers that is not empty")
	}
	total := new(big.Float).SetPrec(512)
	for it := args[0].ElementIterator(); it.Next(); {
		_, v := it.Element()
		n, err := convert.Convert(v, cty.Number)
		if err != nil || n.IsNull() {
			return cty.NilVal, function.NewArgErrorf(0, "not every element is a number")
		}
		total.Add(total, n.AsBigFloat())
	}
	return cty.NumberVal(total), nil
}, param("list", cty.DynamicPseudoType))

var coalesce = function.New(&function.Spec{
	VarParam: &function.Parameter{Name: "values", Type: cty.DynamicPseudoType, AllowNull: true, AllowDynamicType: true},
	Type:     function.StaticReturnType(cty.DynamicPseudoType),
	Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
		for _, v := range args {
			if !v.IsNull() && (v.Type() != cty.String || v.AsString() != "") {
				return v, nil
			}
		}
		return cty.NilVal, errors.New("every value is null or empty")
	},
})

var transpose = simple(cty.Map(cty.List(cty.String)), func(args []cty.Value) (cty.Value, error) {
	out := map[string][]cty.Value{}
	for it := args[0].ElementIterator(); it.Next(); {
		key, list := it.Element()
		if list.IsNull() {
			continue
		}
		for inner := list.ElementIterator(); inner.Next(); {
			if _, v := inner.Element(); !v.IsNull() {
				out[v.AsString()] = append(out[v.AsString()], key)
			}
		}
	}
	if len(out) == 0 {
		return cty.MapValEmpty(cty.List(cty.String)), nil
	}
	lists := map[string]cty.Value{}
	for k, v := range out {
		lists[k] = cty.ListVal(v)
	}
	return cty.MapVal(lists), nil
}, param("map", cty.Map(cty.List(cty.String))))

// rangeFunction is Terraform's range with a larger bound: the range of HCL refuses more than 1,024 numbers.
var rangeFunction = function.New(&function.Spec{
	VarParam: &function.Parameter{Name: "numbers", Type: cty.Number},
	Type:     function.StaticReturnType(cty.List(cty.Number)),
	Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
		start, step := cty.Zero, cty.NumberIntVal(1)
		var limit cty.Value
		switch len(args) {
		case 1:
			limit = args[0]
			if limit.LessThan(cty.Zero).True() {
				step = cty.NumberIntVal(-1)
			}
		case 2, 3:
			start, limit = args[0], args[1]
			if limit.LessThan(start).True() {
				step = cty.NumberIntVal(-1)
			}
			if len(args) == 3 {
				step = args[2]
			}
		default:
			return cty.NilVal, errors.New("range takes one, two or three numbers")
		}
		up := step.GreaterThan(cty.Zero).True()
		if step.RawEquals(cty.Zero) || step.Equals(cty.Zero).True() {
			return cty.NilVal, errors.New("the step is zero")
		}
		var out []cty.Value
		for n := start; up && n.LessThan(limit).True() || !up && n.GreaterThan(limit).True(); n = n.Add(step) {
			if len(out) == maxRange {
				return cty.NilVal, fmt.Errorf("the range has more than %d numbers", maxRange)
			}
			out = append(out, n)
		}
		if len(out) == 0 {
			return cty.ListValEmpty(cty.Number), nil
		}
		return cty.ListVal(out), nil
	},
})

// fileFunction reads a file below the folder. It does not follow symbolic links, since they may lead out of the folder.
func fileFunction(_ *budget, f parse.Folder) function.Function {
	return simple(cty.String, func(args []cty.Value) (cty.Value, error) {
		name := path.Clean(args[0].AsString())
		if !fs.ValidPath(name) || name == "." {
			return cty.NilVal, function.NewArgErrorf(0, "expected the path of a file below the fabric's folder, without a leading "+
				"slash and without \"..\" that leaves the folder")
		}
		b, err := f.ReadBelow(name, MaxString)
		switch {
		case errors.Is(err, parse.ErrTooLarge):
			return cty.NilVal, function.NewArgErrorf(0, "%q is larger than 64 KiB", diag.Cut(name))
		case errors.Is(err, parse.ErrHidden):
			return cty.NilVal, function.NewArgErrorf(0, "%q %s", diag.Cut(name), parse.ErrHidden)
		case errors.Is(err, parse.ErrLink):
			return cty.NilVal, function.NewArgErrorf(0, "%q %s", diag.Cut(name), parse.ErrLink)
		case err != nil:
			return cty.NilVal, function.NewArgErrorf(0, "%q cannot be read, %s", diag.Cut(name), parse.Reason(err))
		case !utf8.Valid(b):
			return cty.NilVal, function.NewArgErrorf(0, "%q is not UTF-8 text", diag.Cut(name))
		}
		return cty.StringVal(string(b)), nil
	}, param("path", cty.String))
}

func nodesetFunction(b *budget, _ parse.Folder) function.Function {
	return simple(cty.List(cty.String), func(args []cty.Value) (cty.Value, error) {
		s := args[0].AsString()
		kind := nodeset.Devices
		if strings.Contains(s, ":") {
			kind = nodeset.Members
		}
		set, bad := nodeset.Parse(s, kind)
		if len(bad) > 0 {
			return cty.NilVal, function.NewArgErrorf(0, "%s", strings.TrimSuffix(bad[0].Message, "."))
		}
		if set.Len() > maxElements {
			b.stop(&parse.TooLarge, "The function nodeset would make more than 100,000 names. Use the nodeset itself where names are expected.")
		}
		b.charge(set.Len())
		out := make([]cty.Value, 0, set.Len())
		for n := range set.All() {
			name := n.Device
			if n.Interface != "" {
				name += ":" + n.Interface
			}
			out = append(out, cty.StringVal(name))
		}
		return cty.ListVal(out), nil
	}, param("nodeset", cty.String))
}

// cidr reads a prefix such as 10.0.0.0/8 and clears its host bits.
func cidr(v cty.Value) (netip.Prefix, error) {
	p, err := netip.ParsePrefix(v.AsString())
	if err != nil {
		return p, function.NewArgErrorf(0, "expected a prefix such as 192.0.2.0/24")
	}
	return p.Masked(), nil
}

// offset reads a whole number.
func offset(v cty.Value, arg int) (*big.Int, error) {
	n, accuracy := v.AsBigFloat().Int(nil)
	if n == nil || accuracy != big.Exact {
		return nil, function.NewArgErrorf(arg, "expected a whole number")
	}
	return n, nil
}

// plus adds n, shifted left, to the address of p.
func plus(p netip.Prefix, n *big.Int, shift int) netip.Addr {
	raw := p.Addr().AsSlice()
	sum := new(big.Int).Add(new(big.Int).SetBytes(raw), new(big.Int).Lsh(n, uint(shift)))
	addr, _ := netip.AddrFromSlice(sum.FillBytes(make([]byte, len(raw))))
	return addr
}

var cidrHost = simple(cty.String, func(args []cty.Value) (cty.Value, error) {
	p, err := cidr(args[0])
	if err != nil {
		return cty.NilVal, err
	}
	n, err := offset(args[1], 1)
	if err != nil {
		return cty.NilVal, err
	}
	size := new(big.Int).Lsh(big.NewInt(1), uint(p.Addr().BitLen()-p.Bits()))
	if n.Sign() < 0 {
		n = new(big.Int).Add(n, size)
	}
	if n.Sign() < 0 || n.Cmp(size) >= 0 {
		return cty.NilVal, function.NewArgErrorf(1, "the prefix %s has no such address", p)
	}
	return cty.StringVal(plus(p, n, 0).String()), nil
}, param("prefix", cty.String), param("hostnum", cty.Number))

var cidrSubnet = simple(cty.String, func(args []cty.Value) (cty.Value, error) {
	p, err := cidr(args[0])
	if err != nil {
		return cty.NilVal, err
	}
	newbits, err := offset(args[1], 1)
	if err != nil {
		return cty.NilVal, err
	}
	n, err := offset(args[2], 2)
	if err != nil {
		return cty.NilVal, err
	}
	room := p.Addr().BitLen() - p.Bits()
	if newbits.Sign() < 0 || newbits.Cmp(big.NewInt(int64(room))) > 0 {
		return cty.NilVal, function.NewArgErrorf(1, "the prefix %s can be made longer by 0 to %d bits", p, room)
	}
	bits := int(newbits.Int64())
	if n.Sign() < 0 || n.BitLen() > bits {
		return cty.NilVal, function.NewArgErrorf(2, "there is no such prefix: %d more bits give %s of them", bits,
			new(big.Int).Lsh(big.NewInt(1), uint(bits)))
	}
	return cty.StringVal(netip.PrefixFrom(plus(p, n, room-bits), p.Bits()+bits).String()), nil
}, param("prefix", cty.String), param("newbits", cty.Number), param("netnum", cty.Number))

var cidrNetmask = simple(cty.String, func(args []cty.Value) (cty.Value, error) {
	p, err := cidr(args[0])
	if err != nil {
		return cty.NilVal, err
	}
	if !p.Addr().Is4() {
		return cty.NilVal, function.NewArgErrorf(0, "only IPv4 has netmasks")
	}
	ones := netip.PrefixFrom(netip.AddrFrom4([4]byte{255, 255, 255, 255}), p.Bits()).Masked()
	return cty.StringVal(ones.Addr().String()), nil
}, param("prefix", cty.String))

// float makes a function of two numbers. It returns an error if the result is not a number; the function of HCL panics then.
func float(f func(a, b float64) float64, first, second string) function.Function {
	return simple(cty.Number, func(args []cty.Value) (cty.Value, error) {
		a, _ := args[0].AsBigFloat().Float64()
		b, _ := args[1].AsBigFloat().Float64()
		out := f(a, b)
		if math.IsNaN(out) || math.IsInf(out, 0) {
			return cty.NilVal, fmt.Errorf("the result of %g and %g is not a number", a, b)
		}
		return cty.NumberFloatVal(out), nil
	}, param(first, cty.Number), param(second, cty.Number))
}

var (
	power     = float(math.Pow, "base", "exponent")
	logarithm = float(func(n, base float64) float64 { return math.Log(n) / math.Log(base) }, "number", "base")
)

// truths counts the true elements of a list of booleans; null is not true.
func truths(list cty.Value) (yes, all int) {
	for it := list.ElementIterator(); it.Next(); all++ {
		if _, v := it.Element(); !v.IsNull() && v.True() {
			yes++
		}
	}
	return yes, all
}

var allTrue = simple(cty.Bool, func(args []cty.Value) (cty.Value, error) {
	yes, all := truths(args[0])
	return cty.BoolVal(yes == all), nil
}, param("list", cty.List(cty.Bool)))

var anyTrue = simple(cty.Bool, func(args []cty.Value) (cty.Value, error) {
	yes, _ := truths(args[0])
	return cty.BoolVal(yes > 0), nil
}, param("list", cty.List(cty.Bool)))

var baseName = simple(cty.String, func(args []cty.Value) (cty.Value, error) {
	return cty.StringVal(path.Base(args[0].AsString())), nil
}, param("path", cty.String))

var dirName = simple(cty.String, func(args []cty.Value) (cty.Value, error) {
	return cty.StringVal(path.Dir(args[0].AsString())), nil
}, param("path", cty.String))

var strContains = simple(cty.Bool, func(args []cty.Value) (cty.Value, error) {
	return cty.BoolVal(strings.Contains(args[0].AsString(), args[1].AsString())), nil
}, param("string", cty.String), param("part", cty.String))

var cidrContains = simple(cty.Bool, func(args []cty.Value) (cty.Value, error) {
	p, err := cidr(args[0])
	if err != nil {
		return cty.NilVal, err
	}
	inner, err := netip.ParsePrefix(args[1].AsString())
	if err != nil {
		addr, err := netip.ParseAddr(args[1].AsString())
		if err != nil || addr.Zone() != "" {
			return cty.NilVal, function.NewArgErrorf(1, "expected an address such as 192.0.2.7, or a prefix")
		}
		inner = netip.PrefixFrom(addr, addr.BitLen())
	}
	return cty.BoolVal(p.Bits() <= inner.Bits() && p.Contains(inner.Masked().Addr())), nil
}, param("prefix", cty.String), param("address", cty.String))

// cidrSubnets works as in Terraform: each prefix begins after the previous one, at the next address that is aligned to its length.
var cidrSubnets = function.New(&function.Spec{
	Params:   []function.Parameter{param("prefix", cty.String)},
	VarParam: &function.Parameter{Name: "newbits", Type: cty.Number},
	Type:     function.StaticReturnType(cty.List(cty.String)),
	Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
		p, err := cidr(args[0])
		if err != nil {
			return cty.NilVal, err
		}
		width := p.Addr().BitLen()
		room := width - p.Bits()
		next, end := new(big.Int), new(big.Int).Lsh(big.NewInt(1), uint(room)) // in addresses from the start of p
		out := []cty.Value{}
		for i, arg := range args[1:] {
			newbits, err := offset(arg, i+1)
			if err != nil {
				return cty.NilVal, err
			}
			if newbits.Sign() < 1 || newbits.Cmp(big.NewInt(int64(room))) > 0 {
				return cty.NilVal, function.NewArgErrorf(i+1, "the prefix %s can be made longer by 1 to %d bits", p, room)
			}
			size := new(big.Int).Lsh(big.NewInt(1), uint(room)-uint(newbits.Int64()))
			next.Add(next, size).Sub(next, big.NewInt(1)).Div(next, size).Mul(next, size)
			if new(big.Int).Add(next, size).Cmp(end) > 0 {
				return cty.NilVal, function.NewArgErrorf(i+1, "no room is left in %s", p)
			}
			out = append(out, cty.StringVal(netip.PrefixFrom(plus(p, next, 0), p.Bits()+int(newbits.Int64())).String()))
			next.Add(next, size)
		}
		if len(out) == 0 {
			return cty.ListValEmpty(cty.String), nil
		}
		return cty.ListVal(out), nil
	},
})

var matchKeys = simple(cty.DynamicPseudoType, func(args []cty.Value) (cty.Value, error) {
	values, keys := args[0], args[1]
	if values.LengthInt() != keys.LengthInt() {
		return cty.NilVal, errors.New("there are not as many keys as values")
	}
	wanted := args[2].AsValueSlice()
	all := values.AsValueSlice()
	var out []cty.Value
	for i, key := range keys.AsValueSlice() {
		if slices.ContainsFunc(wanted, key.RawEquals) {
			out = append(out, all[i])
		}
	}
	if len(out) == 0 {
		return cty.ListValEmpty(values.Type().ElementType()), nil
	}
	return cty.ListVal(out), nil
}, param("values", cty.List(cty.DynamicPseudoType)), param("keys", cty.List(cty.String)), param("wanted", cty.List(cty.String)))
