package com.example.demo.model;

import java.sql.ResultSet;
import java.sql.Timestamp;
import java.util.Properties;
import org.compiere.model.*;
import org.compiere.util.ValueNamePair;

/**
 * Model of XX_Reading: Reading. Käse &amp; &#26085;&#26412;
 * It is generated: changes go into a subclass.
 */
@org.adempiere.base.Model(table="XX_Reading")
public class X_XX_Reading extends PO implements I_XX_Reading, I_Persistent
{

    private static final long serialVersionUID = 20200101L;

    /** Constructor by UUID */
    public X_XX_Reading (Properties ctx, String XX_Reading_UU, String trxName)
    {
      super (ctx, XX_Reading_UU, trxName);
      /** if (XX_Reading_UU == null)
        {
			setReadAt (new Timestamp( System.currentTimeMillis() ));
			setXX_Reading_UU (null);
        } */

    }

    /** Constructor by UUID with virtual columns to load */
    public X_XX_Reading (Properties ctx, String XX_Reading_UU, String trxName, String ... virtualColumns)
    {
      super (ctx, XX_Reading_UU, trxName, virtualColumns);
      /** if (XX_Reading_UU == null)
        {
			setReadAt (new Timestamp( System.currentTimeMillis() ));
			setXX_Reading_UU (null);
        } */

    }

    /** Load constructor */
    public X_XX_Reading (Properties ctx, ResultSet rs, String trxName)
    {
      super (ctx, rs, trxName);
    }

    /** AccessLevel
      * @return 4 - System
      */
    protected int get_AccessLevel()
    {
      return accessLevel.intValue();
    }

    /** Load meta data */
    protected POInfo initPO (Properties ctx)
    {
      POInfo poi = POInfo.getPOInfo (ctx, Table_ID, get_TrxName());
      return poi;
    }

    public String toString()
    {
      StringBuilder sb = new StringBuilder ("X_XX_Reading[")
        .append(get_UUID()).append("]");
      return sb.toString();
    }

	/** Set Content.
		@param Content Content
	*/
	public void setContent (String Content)
	{
		set_Value (COLUMNNAME_Content, Content);
	}

	/** Get Content.
		@return Content
	  */
	public String getContent()
	{
		return (String)get_Value(COLUMNNAME_Content);
	}

	/** Set Odd.
		@param Odd Odd
	*/
	public void setOdd (Object Odd)
	{
		set_Value (COLUMNNAME_Odd, Odd);
	}

	/** Get Odd.
		@return Odd
	  */
	public Object getOdd()
	{
		return get_Value(COLUMNNAME_Odd);
	}

	/** Set Read at.
		@param ReadAt Read at
	*/
	public void setReadAt (Timestamp ReadAt)
	{
		set_Value (COLUMNNAME_ReadAt, ReadAt);
	}

	/** Get Read at.
		@return Read at
	  */
	public Timestamp getReadAt()
	{
		return (Timestamp)get_Value(COLUMNNAME_ReadAt);
	}

    /** Get record id and Read at
        @return id and text
      */
    public ValueNamePair getValueNamePair()
    {
        return new ValueNamePair(get_UUID(), String.valueOf(getReadAt()));
    }

	/** Set UUID.
		@param XX_Reading_UU UUID
	*/
	public void setXX_Reading_UU (String XX_Reading_UU)
	{
		set_ValueNoCheck (COLUMNNAME_XX_Reading_UU, XX_Reading_UU);
	}

	/** Get UUID.
		@return UUID
	  */
	public String getXX_Reading_UU()
	{
		return (String)get_Value(COLUMNNAME_XX_Reading_UU);
	}
}
