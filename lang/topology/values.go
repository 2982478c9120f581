package topology

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

// unitWords has the units that people and programs write, folded as [letters] does, by the unit of the language. Other units are
// converted, see [value].
var unitWords = [...]map[string]string{
	0: {
		"g": "G", "gb": "G", "gbe": "G", "ge": "G", "gige": "G", "gbps": "G", "gbs": "G", "gbit": "G", "gbits": "G", "gigabit": "G",
		"gigabits": "G", "gbitps": "G",
		"m": "M", "mb": "M", "mbps": "M", "mbs": "M", "mbit": "M", "mbits": "M", "megabit": "M", "megabits": "M",
		"t": "T", "tb": "T", "tbe": "T", "tbps": "T", "tbs": "T", "tbit": "T", "tbits": "T",
		"k": "K", "kb": "K", "kbps": "K", "kbs": "K", "kbit": "K", "kbits": "K",
	},
	1: {
		"m": "m", "meter": "m", "meters": "m", "metre": "m", "metres": "m", "mtr": "m", "mtrs": "m",
		"km": "km", "kilometer": "km", "kilometers": "km", "kilometre": "km", "kilometres": "km",
		"cm": "cm", "centimeter": "cm", "centimeters": "cm", "centimetre": "cm", "centimetres": "cm",
		"mm": "mm", "millimeter": "mm", "millimeters": "mm", "millimetre": "mm", "millimetres": "mm",
		"ft": "ft", "foot": "ft", "feet": "ft", "in": "in", "inch": "in", "inches": "in", "mi": "mi", "mile": "mi", "miles": "mi",
	},
	2: {},
}

// unitOf returns a unit of an attribute in the form of the language or of [value]; empty: the word is not a unit.
func unitOf(attr int, text string) string {
	switch text = strings.TrimSpace(text); {
	case attrNames[attr] != "length":
	case text == "'" || text == "′":
		return "ft"
	case text == `"` || text == "″":
		return "in"
	}
	if strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII || unicode.IsDigit(r) }) {
		return ""
	}
	return unitWords[attr][letters(text)]
}

var quantity = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(\d{1,15})(?:([.,])(\d{1,9}))? ?([^\d.,].*)?$`) })

// value returns a value of a cable in the notation of the language. A plain number gets the unit that the file states for it, or no
// unit. "100GbE" is "100G", "25000" in Mb/s is "25G", "2,5" metres are "2.5m", and inches, miles and millimetres become metres. It does
// not change values in the notation of the language, or unknown values, which package lang reports.
func value(attr int, text, unit string) string {
	m := quantity().FindStringSubmatch(text)
	if m == nil || attrNames[attr] == "mtu" {
		return text
	}
	whole, mark, part, own := m[1], m[2], m[3], m[4]
	comma := mark == ","
	switch {
	case comma && (attrNames[attr] != "length" || len(part) == 3 && whole != "0"):
		return text // "1,500" may be thousands
	case own != "":
		known := unitOf(attr, own)
		if known == "" {
			return text
		}
		unit = known
	case unit == "" && comma:
		unit = "m"
	case unit == "":
		return text
	}
	number := whole
	if mark != "" {
		number += "." + part
	}
	if own != "" && !comma && slices.Contains([]string{"G", "M", "T", "m", "km", "cm", "ft"}, own) {
		return text
	}
	n, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return text
	}
	switch unit {
	case "in":
		return metres(n * 0.0254)
	case "mi":
		return metres(n * 1609.344)
	case "mm":
		return metres(n / 1000)
	case "K":
		if n != math.Trunc(n) || int64(n)%1000 != 0 {
			return text
		}
		number, unit = strconv.FormatInt(int64(n)/1000, 10), "M"
	}
	if i, err := strconv.Atoi(number); err == nil && unit == "M" && i >= 1000 && i%1000 == 0 {
		return strconv.Itoa(i/1000) + "G"
	}
	return number + unit
}

// metres returns a length in metres, rounded to micrometres.
func metres(n float64) string {
	return strconv.FormatFloat(math.Round(n*1e6)/1e6, 'f', -1, 64) + "m"
}
