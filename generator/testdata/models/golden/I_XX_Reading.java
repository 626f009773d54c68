package com.example.demo.model;

import java.math.BigDecimal;
import java.sql.Timestamp;
import org.compiere.model.*;
import org.compiere.util.KeyNamePair;

/**
 * Interface of XX_Reading: Reading. Käse &amp; &#26085;&#26412;
 */
@SuppressWarnings("all")
public interface I_XX_Reading
{

    /** TableName=XX_Reading */
    public static final String Table_Name = "XX_Reading";

    /** AD_Table_ID=200999 */
    public static final int Table_ID = 200999;

    KeyNamePair Model = new KeyNamePair(Table_ID, Table_Name);

    /** AccessLevel = 4 - System */
    BigDecimal accessLevel = BigDecimal.valueOf(4);

	/** Column name Content */
	public static final String COLUMNNAME_Content = "Content";

	/** Set Content.
	  */
	public void setContent (String Content);

	/** Get Content.
	  */
	public String getContent();

	/** Column name Odd */
	public static final String COLUMNNAME_Odd = "Odd";

	/** Set Odd.
	  */
	public void setOdd (Object Odd);

	/** Get Odd.
	  */
	public Object getOdd();

	/** Column name ReadAt */
	public static final String COLUMNNAME_ReadAt = "ReadAt";

	/** Set Read at.
	  */
	public void setReadAt (Timestamp ReadAt);

	/** Get Read at.
	  */
	public Timestamp getReadAt();

	/** Column name XX_Reading_UU */
	public static final String COLUMNNAME_XX_Reading_UU = "XX_Reading_UU";

	/** Set UUID.
	  */
	public void setXX_Reading_UU (String XX_Reading_UU);

	/** Get UUID.
	  */
	public String getXX_Reading_UU();
}
