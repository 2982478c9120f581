package parse

// SimpleShape reads the bytes of a file once, and reports whether the file is far within the limits of [checkTokens]. Such a file need
// not be lexed twice, and lexing takes half of the time of parsing. It knows only strings without templates, comments to the end of the
// line, brackets and operators, and counts rather too many of them. For other text it returns false, which does not mean that the file
// exceeds the limits.
//
// It also returns the ends of pieces of about the given size. Each piece ends with a line outside of any block. Parsing single pieces
// needs less time and far less memory than parsing the whole file.
func SimpleShape(src []byte, size int) (ends []int, ok bool) {
	const (
		mostOpen  = MaxDepth / 2
		mostOps   = MaxDepth/2 - 2 // operators of one line, or of all lines inside ( or [
		mostParts = 1000           // parts of strings that contain $ or %
	)
	type bracket struct {
		kind  byte
		texts int // texts without a comma between them
	}
	open := []bracket{{kind: '{'}}
	tokens, ops, parts, begin := 0, 0, 0, 0
	for i := 0; i < len(src); i++ {
		c := src[i]
		switch {
		case c == ' ' || c == '\t':
			continue
		case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_':
			for i+1 < len(src) && wordByte(src[i+1]) {
				i++
			}
		case c == '\n':
			if top := &open[len(open)-1]; top.kind == '{' {
				ops, top.texts = 0, 0
			}
			if len(open) == 1 && i-begin >= size {
				ends = append(ends, i+1)
				begin = i + 1
			}
		case c == '"':
			top := &open[len(open)-1]
			if top.texts++; top.texts > mostOps {
				return nil, false
			}
			for i++; ; i++ {
				if i >= len(src) || src[i] == '\n' {
					return nil, false
				}
				if src[i] == '"' {
					break
				}
				switch src[i] {
				case '\\':
					i++
				case '$', '%':
					parts++
					tokens += 2
					if i+1 < len(src) && src[i+1] == '{' {
						return nil, false
					}
				}
			}
			tokens += 2
		case c == '#' || c == '/' && i+1 < len(src) && src[i+1] == '/':
			for i+1 < len(src) && src[i+1] != '\n' {
				i++
			}
		case c == '{' || c == '[' || c == '(':
			open = append(open, bracket{kind: c})
			ops++
		case c == '}' || c == ']' || c == ')':
			if len(open) == 1 || opener[c] != open[len(open)-1].kind {
				return nil, false
			}
			open = open[:len(open)-1]
		case c == '<' || c == '/' && i+1 < len(src) && src[i+1] == '*': // a heredoc or a comment
			return nil, false
		case c == ',':
			open[len(open)-1].texts = 0
		case c == '\r':
		case c == '=' || c == '.' || c == '-' || c == '+' || c == '*' || c == '/' || c == '%' || c == '!' || c == '?' || c == ':' || c == '&' ||
			c == '|' || c == '>':
			ops++
		default:
			return nil, false
		}
		if tokens++; tokens >= maxTokens || len(open) > mostOpen || ops > mostOps || parts > mostParts {
			return nil, false
		}
	}
	if begin < len(src) || len(ends) == 0 {
		ends = append(ends, len(src))
	}
	return ends, len(open) == 1
}

var opener = map[byte]byte{'}': '{', ']': '[', ')': '('}

func wordByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_'
}
