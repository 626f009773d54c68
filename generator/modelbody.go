package generator

import "fmt"

// setBody is what the setter of a column does.
func (c *modelColumn) setBody() string {
	value := c.Name
	switch c.Java {
	case "int":
		value = "Integer.valueOf(" + c.Name + ")"
	case "boolean":
		value = "Boolean.valueOf(" + c.Name + ")"
	}
	call := fmt.Sprintf("%s (COLUMNNAME_%s, %s);", c.Setter, c.Name, value)
	switch {
	case c.Virtual:
		return fmt.Sprintf("\t\tthrow new IllegalArgumentException (\"%s is virtual column\");\n", c.Name)
	case c.Java == "int" && c.Limit >= 0:
		return fmt.Sprintf("\t\tif (%s < %d)\n\t\t\t%s (COLUMNNAME_%s, null);\n\t\telse\n\t\t\t%s\n", c.Name, c.Limit, c.Setter, c.Name, call)
	}
	return "\t\t" + call + "\n"
}

// getBody is what the getter of a column does.
func (c *modelColumn) getBody() string {
	read := c.Reader + "(COLUMNNAME_" + c.Name + ");\n"
	switch c.Java {
	case "int":
		return "\t\tInteger ii = (Integer)" + read + "\t\tif (ii == null)\n\t\t\t return 0;\n\t\treturn ii.intValue();\n"
	case "BigDecimal":
		return "\t\tBigDecimal bd = (BigDecimal)" + read + "\t\tif (bd == null)\n\t\t\t return Env.ZERO;\n\t\treturn bd;\n"
	case "boolean":
		return "\t\tObject oo = " + read + "\t\tif (oo != null)\n\t\t{\n\t\t\t if (oo instanceof Boolean)\n" +
			"\t\t\t\t return ((Boolean)oo).booleanValue();\n\t\t\treturn \"Y\".equals(oo);\n\t\t}\n\t\treturn false;\n"
	case "Object":
		return "\t\treturn " + read
	}
	return "\t\treturn (" + c.Java + ")" + read
}
