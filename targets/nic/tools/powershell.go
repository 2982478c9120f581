package tools

import (
	"encoding/binary"
	"strings"
	"unicode/utf16"
)

// afterPowerShell returns the text after a prompt of PowerShell: "PS C:\> ", also of a remote session: "[host1]: PS C:\Users> ".
func afterPowerShell(text string) (rest string, ok bool) {
	if text != "" && text[0] == '[' {
		if _, after, is := strings.Cut(text, "]: "); is {
			text = after
		}
	}
	if !strings.HasPrefix(text, "PS ") && !strings.HasPrefix(text, "PS>") {
		return "", false
	}
	_, rest, ok = strings.Cut(text, ">")
	return strings.TrimSpace(rest), ok
}

// plainText returns the text of a file, and whether it has the same bytes as the file. Windows PowerShell 5 writes redirected output as
// UTF-16, and a byte order mark before UTF-8.
func plainText(content []byte) (text string, same bool) {
	switch text = string(content); {
	case strings.HasPrefix(text, "\xff\xfe"):
		return fromUTF16(content[2:], binary.LittleEndian), false
	case strings.HasPrefix(text, "\xfe\xff"):
		return fromUTF16(content[2:], binary.BigEndian), false
	case strings.HasPrefix(text, "\xef\xbb\xbf"):
		return text[3:], false
	}
	return text, true
}

func fromUTF16(content []byte, order binary.ByteOrder) string {
	units := make([]uint16, len(content)/2)
	for i := range units {
		units[i] = order.Uint16(content[2*i:])
	}
	return string(utf16.Decode(units))
}
