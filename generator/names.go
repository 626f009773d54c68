package generator

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Longest names, so that paths stay below what usual systems can hold.
const (
	maxSymbolicName = 120
	maxPackage      = 200
	maxIdentifier   = 100
)

// checkSymbolicName says what is wrong with an OSGi symbolic name that is a
// Maven artifact id and a folder at the same time, or "". Tokens are letters,
// digits, underscores and dashes, separated by single dots.
func checkSymbolicName(name string) string {
	if name == "" {
		return "is empty"
	}
	if n := len(name); n > maxSymbolicName {
		return fmt.Sprintf("is %d characters long, at most %d are possible", n, maxSymbolicName)
	}
	for i, r := range name {
		switch {
		case letter(r), digit(r), r == '_', r == '-':
		case r == '.' && i > 0 && name[i-1] != '.' && i < len(name)-1:
		case r == '.':
			return "has a dot at an end or two in a row; parts are separated by one dot"
		default:
			return fmt.Sprintf("contains %q; only A to Z, digits, dots, dashes and underscores are possible", r)
		}
	}
	if !letter(rune(name[0])) {
		return "does not begin with a letter"
	}
	return checkElement(name)
}

// checkIdentifier says what is wrong with an identifier of Java, or "". Only
// ASCII is accepted, because the name becomes a file name and a name in the
// dictionary, too.
func checkIdentifier(name string) string {
	if name == "" {
		return "is empty"
	}
	if !utf8.ValidString(name) {
		return "is not valid UTF-8"
	}
	for i, r := range name {
		switch {
		case letter(r), r == '_', r == '$':
		case digit(r) && i > 0:
		case digit(r):
			return "begins with a digit"
		default:
			return fmt.Sprintf("contains %q; only A to Z, digits and underscore are possible", r)
		}
	}
	switch {
	case len(name) > maxIdentifier:
		return fmt.Sprintf("is %d characters long, at most %d are possible", len(name), maxIdentifier)
	case javaKeyword(name):
		return "is a reserved word of Java"
	}
	return ""
}

// checkClass says what is wrong with the name of a class, or "".
func checkClass(name string) string {
	if why := checkIdentifier(name); why != "" {
		return why
	}
	switch {
	case name[0] < 'A' || name[0] > 'Z':
		return "does not begin with a capital letter"
	case strings.Contains(name, "$"):
		return "contains a dollar sign, which Java keeps for nested classes"
	case javaLang(name):
		return "is the name of a class of java.lang, which it would hide"
	case usedClass(name):
		return "is the name of a class that generated code uses, which it would hide"
	}
	return checkElement(name)
}

// checkPackage says what is wrong with the name of a package, or "".
func checkPackage(name string) string {
	if name == "" {
		return "is empty"
	}
	if len(name) > maxPackage {
		return fmt.Sprintf("is %d characters long, at most %d are possible", len(name), maxPackage)
	}
	for part := range strings.SplitSeq(name, ".") {
		if why := checkIdentifier(part); why != "" {
			return fmt.Sprintf("has the part %s, which %s", quote(part), why)
		}
		if why := checkElement(part); why != "" {
			return why
		}
	}
	for _, prefix := range []string{"java.", "javax."} {
		if strings.HasPrefix(name+".", prefix) {
			return "belongs to Java itself"
		}
	}
	return ""
}

// packageOf makes a package of a symbolic name: small letters, dashes as
// underscores, and an underscore before what is not an identifier.
func packageOf(symbolic string) string {
	parts := strings.Split(strings.ToLower(strings.ReplaceAll(symbolic, "-", "_")), ".")
	for i, p := range parts {
		if p != "" && digit(rune(p[0])) || javaKeyword(p) {
			parts[i] = "_" + p
		}
	}
	return strings.Join(parts, ".")
}

// moduleOf makes an Automatic-Module-Name of a symbolic name.
func moduleOf(symbolic string) string {
	return packageOf(symbolic)
}

// classOf makes the name of a class of any text: parts in capitals, joined.
func classOf(text string) string {
	var b strings.Builder
	upper := true
	for _, r := range text {
		switch {
		case letter(r), digit(r) && b.Len() > 0:
			if upper && r >= 'a' && r <= 'z' {
				r -= 'a' - 'A'
			}
			b.WriteRune(r)
			upper = false
		default:
			upper = true
		}
	}
	return b.String()
}

// prefixOf makes the beginning of class names of a plugin: com.example.demo-app
// gives DemoApp.
func prefixOf(symbolic string) string {
	last := symbolic[strings.LastIndexByte(symbolic, '.')+1:]
	if c := classOf(last); c != "" {
		return c
	}
	return "Plugin"
}

// sentenceOf makes words of the name of a class: DemoOrderImport gives Demo
// Order Import.
func sentenceOf(class string) string {
	var b strings.Builder
	for i, r := range class {
		if r == '_' {
			r = ' '
		}
		upper := r >= 'A' && r <= 'Z'
		if i > 0 && upper && (class[i-1] >= 'a' && class[i-1] <= 'z' || i+1 < len(class) && class[i+1] >= 'a' && class[i+1] <= 'z' && class[i-1] != '_') {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

func letter(r rune) bool { return r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' }
func digit(r rune) bool  { return r >= '0' && r <= '9' }

// javaKeyword reports whether Java keeps the word, literals and the single
// underscore included.
func javaKeyword(word string) bool {
	switch word {
	case "abstract", "assert", "boolean", "break", "byte", "case", "catch", "char", "class", "const", "continue",
		"default", "do", "double", "else", "enum", "extends", "final", "finally", "float", "for", "goto", "if",
		"implements", "import", "instanceof", "int", "interface", "long", "native", "new", "package", "private",
		"protected", "public", "return", "short", "static", "strictfp", "super", "switch", "synchronized", "this",
		"throw", "throws", "transient", "try", "void", "volatile", "while",
		"true", "false", "null", "_":
		return true
	}
	return false
}

// javaLang reports whether a class of that name comes from java.lang, so that it
// would hide the one that is meant.
func javaLang(name string) bool {
	switch name {
	case "Object", "String", "Integer", "Boolean", "Long", "Short", "Byte", "Character", "Double", "Float", "Number",
		"Class", "Exception", "RuntimeException", "IllegalArgumentException", "Error", "Throwable", "Override",
		"SuppressWarnings", "Deprecated", "System", "Thread", "Runnable", "Process", "Record", "Enum", "Void", "Math",
		"Iterable", "Comparable", "StringBuilder", "CharSequence", "Module", "Package":
		return true
	}
	return false
}

// usedClass reports whether generated code imports a class of that name, or extends
// it, so that a new one would hide it.
func usedClass(name string) bool {
	switch name {
	case "BigDecimal", "Timestamp", "ResultSet", "Properties", "Set", "Env", "PO", "POInfo", "Core",
		"SvrProcess", "Parameter", "Callout", "IColumnCallout", "GridTab", "GridField", "Event", "AbstractEventHandler",
		"IEventTopics", "ModelEventDelegate", "EventTopicDelegate", "ModelEventTopic", "ADForm", "CustomForm", "Form", "IFormController", "Label",
		"WindowValidator", "WindowValidatorEvent", "Callback", "ResourceExtension", "AbstractTestCase", "Test",
		"Path", "GET", "Produces", "MediaType", "Response", "Component", "Reference", "Vlayout",
		"CLogger", "JsonObject", "Button", "Events", "EventListener", "MTable", "MProcessPara", "ProcessInfoParameter":
		return true
	}
	return false
}

// checkText says what is wrong with a text that people read, or "": it must be
// one line of valid UTF-8 without characters that show nothing.
func checkText(text string, limit int) string {
	if !utf8.ValidString(text) {
		return "is not valid UTF-8"
	}
	if n := utf8.RuneCountInString(text); n > limit {
		return fmt.Sprintf("is %d characters long, at most %d are possible", n, limit)
	}
	for _, r := range text {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r == 0xfffe || r == 0xffff {
			return fmt.Sprintf("contains the control character %q; it is one line of text", r)
		}
		if invisible(r) && r != '\u200d' {
			return fmt.Sprintf("contains %q, which shows nothing or turns the text around it", r)
		}
	}
	return ""
}

// checkVersion says what is wrong with a version of three numbers, or "".
func checkVersion(v string) string {
	parts := strings.Split(v, ".")
	if len(parts) != 3 {
		return "is not three numbers such as 1.0.0"
	}
	for _, p := range parts {
		if p == "" || len(p) > 6 || len(p) > 1 && p[0] == '0' {
			return "is not three numbers such as 1.0.0"
		}
		for _, r := range p {
			if !digit(r) {
				return "is not three numbers such as 1.0.0"
			}
		}
	}
	return ""
}
