package topology

import (
	"strings"
	"unicode/utf8"

	"github.com/rocec/rocec/lang/diag"
)

// kind is the kind of a token of the dot language: one of these constants, or the character itself for punctuation.
type kind byte

const (
	end      kind = 0
	name     kind = 'a' // a name: plain, a number, or in quotes
	html     kind = 'h'
	edge     kind = '-' // --
	directed kind = '>' // ->
)

type token struct {
	word
	kind   kind
	quoted bool
}

// lexer cuts a graphviz file into tokens.
//
//	name   = letter { letter | digit } | number | string { "+" string } | "<" html ">" .
//	letter = "a"…"z" | "A"…"Z" | "_" | any letter that is not ASCII .
//
// In strings only \" is an escape. A backslash at the end of a line joins the line to the next. All other backslashes are kept.
// Comments are //, /* */ and # to the end of the line.
type lexer struct {
	*reader
	pos int
	tok token
}

// next reads the next token into tok. After a failure, tok is the end of the file.
func (x *lexer) next() {
	x.space()
	if x.tok = x.token(); x.failed {
		x.tok = token{word: word{from: x.pos, to: x.pos}}
	}
}

func (x *lexer) token() token {
	from := x.pos
	if from >= len(x.text) {
		return token{word: word{from: from, to: from}}
	}
	switch c := x.text[from]; {
	case c == '"':
		return x.quoted()
	case c == '<':
		return x.html()
	case c == '-' && strings.HasPrefix(x.text[from:], "--"):
		return x.take(edge, 2)
	case c == '-' && strings.HasPrefix(x.text[from:], "->"):
		return x.take(directed, 2)
	case strings.IndexByte("{}[];,=:", c) >= 0:
		return x.take(kind(c), 1)
	case letter(c):
		n := 1
		for from+n < len(x.text) && (letter(x.text[from+n]) || digit(x.text[from+n])) {
			n++
		}
		return x.plain(n)
	case digit(c) || c == '.' || c == '-':
		if n := number(x.text[from:]); n > 0 {
			return x.plain(n)
		}
	}
	_, n := utf8.DecodeRuneInString(x.text[from:])
	x.fail(&Syntax, from, from+n, "%q is not allowed here. If it is part of a name, put the name in quotes.", x.text[from:from+n])
	return token{}
}

func (x *lexer) take(k kind, n int) token {
	x.pos += n
	return token{word: word{v: x.text[x.pos-n : x.pos], from: x.pos - n, to: x.pos, in: x.pos - n, out: x.pos}, kind: k}
}

// plain reads a name of n bytes without quotes. It reports a name whose next characters look like a part of it, because dot would read
// leaf-1 and 3m as two tokens.
func (x *lexer) plain(n int) token {
	whole := n
	rest := x.text[x.pos:]
	for whole < len(rest) {
		c := rest[whole]
		if !letter(c) && !digit(c) && strings.IndexByte(".-@%$!&*+/\\", c) < 0 || edgeOrComment(rest[whole:]) {
			break
		}
		whole++
	}
	if whole > n {
		x.fail(&Syntax, x.pos, x.pos+whole, "A name with other letters than a-z, digits and _, or that begins with a digit, needs "+
			"quotes: \"%s\".", diag.Cut(rest[:whole]))
		return token{}
	}
	t := x.take(name, n)
	if strings.ContainsAny(t.v, "“”„«»") {
		x.fail(&Syntax, t.from, t.to, "These are typographic quotes, which an editor made of plain ones. Write \"%s\".",
			diag.Cut(strings.Trim(t.v, "“”„«»")))
	}
	return t
}

func edgeOrComment(s string) bool {
	return strings.HasPrefix(s, "--") || strings.HasPrefix(s, "->") || strings.HasPrefix(s, "//") || strings.HasPrefix(s, "/*")
}

// quoted reads a string, or several strings joined by +.
func (x *lexer) quoted() token {
	from := x.pos
	inner, ok := x.stringBody()
	if !ok {
		return token{}
	}
	t := token{word: word{v: unescape(inner), from: from, to: x.pos, in: from + 1, out: x.pos - 1}, kind: name, quoted: true}
	var joined []byte
	for {
		before := x.pos
		x.space()
		if x.failed || x.pos >= len(x.text) || x.text[x.pos] != '+' {
			x.pos = before
			break
		}
		plus := x.pos
		x.pos++
		x.space()
		if x.pos >= len(x.text) || x.text[x.pos] != '"' {
			x.fail(&Syntax, plus, plus+1, "Another string in quotes was expected after +.")
			return token{}
		}
		if inner, ok = x.stringBody(); !ok {
			return token{}
		}
		if joined == nil {
			joined = []byte(t.v)
		}
		joined = append(joined, unescape(inner)...)
		t.to, t.out = x.pos, x.pos-1
	}
	if joined != nil {
		t.v = string(joined)
	}
	return t
}

// stringBody reads a string and returns the text between its quotes.
func (x *lexer) stringBody() (string, bool) {
	from := x.pos
	for i := from + 1; i < len(x.text); i++ {
		switch x.text[i] {
		case '\\':
			i++
		case '"':
			x.pos = i + 1
			return x.text[from+1 : i], true
		}
	}
	x.fail(&Syntax, from, from+1, "The file ends inside the string in quotes that begins here. Close the quotes.")
	return "", false
}

// unescape resolves \" and joined lines.
func unescape(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		rest := s[i:]
		switch {
		case strings.HasPrefix(rest, `\"`):
			out = append(out, '"')
			i++
		case strings.HasPrefix(rest, "\\\r\n"):
			i += 2
		case strings.HasPrefix(rest, "\\\n"):
			i++
		case strings.HasPrefix(rest, `\\`): // both are kept, and the second does not begin an escape
			out = append(out, `\\`...)
			i++
		default:
			out = append(out, s[i])
		}
	}
	return string(out)
}

func (x *lexer) html() token {
	from, depth := x.pos, 0
	for i := from; i < len(x.text); i++ {
		switch x.text[i] {
		case '<':
			depth++
		case '>':
			if depth--; depth == 0 {
				return x.take(html, i+1-from)
			}
		}
	}
	x.fail(&Syntax, from, from+1, "The file ends inside the HTML text that begins with this <.")
	return token{}
}

// space skips spaces and comments.
func (x *lexer) space() {
	for x.pos < len(x.text) {
		switch c := x.text[x.pos]; {
		case c == ' ' || '\t' <= c && c <= '\r':
			x.pos++
		case c == '#' || strings.HasPrefix(x.text[x.pos:], "//"):
			i := strings.IndexByte(x.text[x.pos:], '\n')
			if i < 0 {
				i = len(x.text) - x.pos
			}
			x.pos += i
		case strings.HasPrefix(x.text[x.pos:], "/*"):
			i := strings.Index(x.text[x.pos+2:], "*/")
			if i < 0 {
				x.fail(&Syntax, x.pos, x.pos+2, "The file ends inside the comment that begins here: */ is missing. Write */ at its end.")
				return
			}
			x.pos += i + 4
		default:
			return
		}
	}
}

func letter(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' || c >= utf8.RuneSelf
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

// number returns the length of the number at the beginning of s, such as -1, 1.5 or .5. It returns 0 if there is none.
func number(s string) int {
	n, digits := 0, 0
	if n < len(s) && s[n] == '-' {
		n++
	}
	for dot := false; n < len(s) && (digit(s[n]) || s[n] == '.' && !dot); n++ {
		if s[n] == '.' {
			dot = true
		} else {
			digits++
		}
	}
	if digits == 0 {
		return 0
	}
	return n
}
