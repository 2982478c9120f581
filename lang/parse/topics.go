package parse

import "github.com/rocec/rocec/lang/diag"

// What is wrong with files and their text. `rocec explain CODE` prints the Doc.
var (
	Unreadable = diag.Topic{Code: "unreadable", Summary: "a folder or file cannot be read", Doc: `
A fabric is a folder; every regular *.hcl file directly in it is read. Names that start with a dot
are not. Symbolic links, pipes and devices are refused rather than followed, because a fabric must
not read what lies outside its folder.

Example:

    $ ln -s ../common/groups.hcl pod1/groups.hcl
    $ rocec validate pod1

Fix: give the right folder, fix its permissions, or replace the link by the file.
`}

	TooLarge = diag.Topic{Code: "too-large", Summary: "the input is larger than rocec reads", Doc: `
Limits keep a mistake, or a fabric from a stranger, from eating the machine: 256 files of 1 MiB,
together 32 MiB and each 200,000 tokens; a table of next hops of 64 MiB; strings of 64 KiB; values
of 100,000 elements; and a bound on the work of expressions all together. A string that doubles
itself in a chain of locals meets the last one.

Example:

    locals {
      line  = join(",", range(4096))
      lines = "${local.line}${local.line}${local.line}${local.line}" # 76 KiB
    }

Fix: split a large file; name many things with nodesets and meshes instead of one block
each.

    locals {
      lines = "gpu[1-4096]"
    }
`}

	TooDeep = diag.Topic{Code: "too-deep", Summary: "the input is nested too deeply", Doc: `
Brackets, templates, conditionals and signs may be nested 64 deep, one expression may join 128
operands, and a for expression may hold one other for expression, not two. Nothing a person writes
comes near; deeper input would stop the parser of HCL with no message at all.

Example:

    locals {
      ports = [for pod in range(2) : [for leaf in range(4) : [for port in range(8) : port]]]
    }

Fix: give parts of the expression a name in a locals block.

    locals {
      leaf  = [for port in range(8) : port]
      ports = [for pod in range(2) : [for leaf in range(4) : local.leaf]]
    }
`}

	InvalidUTF8 = diag.Topic{Code: "invalid-utf8", Summary: "the file is not UTF-8 text", Doc: `
Fabric files are UTF-8 without NUL bytes. The place shown is the first byte that is not. Files from
old Windows editors are often UTF-16 or Latin-1.

Example:

    $ file pod1/fabric.hcl
    pod1/fabric.hcl: ISO-8859 text

Fix: save the file as UTF-8.

    $ iconv -f ISO-8859-1 -t UTF-8 fabric.hcl > fabric.new
`}

	Syntax = diag.Topic{Code: "syntax", Summary: "the file is not valid HCL", Doc: `
The text cannot be read as HCL (the language of Terraform and Nomad). Often a quote, a bracket or
an equals sign is missing a line further up. An attribute is name = value; a block is kind "label"
{ ... }, and a block written on one line holds at most one attribute.

Example:

    switch "edge" {
      names = "edge[1-4]
    }

Fix: look at the place shown and at the line above it. rocec fmt --check reports whether
the file can be read again.

    switch "edge" {
      names   = "edge[1-4]"
      model   = "sn2700"
      version = "4.3.0"
    }
`}

	DuplicateAttribute = diag.Topic{Code: "duplicate-attribute", Summary: "an attribute is set twice", Doc: `
An attribute may be set once in a block. With two, nobody could say which counts.

Example:

    cos_group "bulk" {
      cos = 1
      cos = 2
    }

Fix: delete one of them.

    cos_group "bulk" {
      cos = 1
    }
`}

	IgnoreInvalid = diag.Topic{Code: "ignore-invalid", Summary: "a comment that should silence a finding cannot be read", Doc: `
A comment silences one finding of one place, and says why, so that the next reader knows. Without
a code or a reason, or away from what it means, it silences nothing.

Example:

    mesh "uplinks" {
      lower = "leaf[1-4]:swp[31-32]" # rocec:ignore oversubscription
    }

Fix: put the comment on a line of its own, directly before the attribute or block, with
code and reason.

    # rocec:ignore speed-step the stores are slow, and meant to be
    roce "training" {
      cos_group = cos_group.rdma
    }
    link "stores" { speed = "25G" }
    mesh "uplinks" {
      lower = "leaf[1-4]:swp[31-32]"
    }
`}
)
