package parse

import "github.com/rocec/rocec/lang/diag"

// The mistakes in files and their text.
var (
	Unreadable = diag.Topic{Code: "unreadable", Summary: "a folder or file cannot be read"}

	TooLarge = diag.Topic{Code: "too-large", Summary: "the input is larger than rocec reads"}

	TooDeep = diag.Topic{Code: "too-deep", Summary: "the input is nested too deeply"}

	InvalidUTF8 = diag.Topic{Code: "invalid-utf8", Summary: "the file is not UTF-8 text"}

	Syntax = diag.Topic{Code: "syntax", Summary: "the file is not valid HCL"}

	DuplicateAttribute = diag.Topic{Code: "duplicate-attribute", Summary: "an attribute is set twice"}

	IgnoreInvalid = diag.Topic{Code: "ignore-invalid", Summary: "a comment that should silence a finding cannot be read"}
)
